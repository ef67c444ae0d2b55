import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertRow, assertShows, must, rows } from './rows.js';
import type { TestServer } from './server.js';

/** One field of a kind: written, read back, changed alone, cleared, and refused (D1, A5, A6, A7). */
export interface Field {
  field: string;
  /** Values, and how each is shown. */
  values: [unknown, Record<string, unknown>][];
  /** Members that follow from the field and change with it. */
  moves: string[];
  /** Values that empty it, and how that is shown. */
  clear?: [unknown[], Record<string, unknown>];
  bad: unknown[];
}

export interface Fields {
  plural: string;
  /** The least that a create needs, and more. */
  least: (more: Record<string, unknown>) => Record<string, unknown>;
  /** Makes a record that has every field. */
  full: () => Promise<{ id: number }>;
  required: string[];
  fields: Field[];
}

/** Times of change move with every write; counts belong to the terms that an event names. */
function still(record: Record<string, unknown>, names: string[]): Record<string, unknown> {
  const kept = Object.entries(record).filter(([name]) => !names.includes(name));
  return JSON.parse(JSON.stringify(Object.fromEntries(kept)), (key, value) =>
    key === 'count' || key.startsWith('modified') ? 0 : value,
  );
}

export function fieldSuites(s: TestServer, { plural, least, full, required, fields }: Fields): void {
  const read = async (id: number): Promise<Record<string, unknown>> => {
    const { json_ld, ...rest } = await must(s.get(`/${plural}/${id}`, { context: 'edit' }, 'admin'), 200);
    return rest;
  };
  const create = (json: Record<string, unknown>) => s.post(`/${plural}`, least(json), 'admin');
  const change = (id: number, json: Record<string, unknown>) => must(s.patch(`/${plural}/${id}`, json, 'admin'), 200);

  for (const { field, values, moves, clear, bad } of fields) {
    describe(field, async () => {
      const { id } = await full();
      for (const [given, shows] of values) {
        const shown = JSON.stringify(given);
        test(`D1 create with ${field} ${shown}, and read it back`, async () => {
          const answered = await must(create({ [field]: given }));
          assertShows(answered, shows);
          assertShows(await read(answered.id), shows);
        });
        test(`D1 PATCH ${field} ${shown} alone changes nothing else`, async () => {
          const before = await read(id);
          assertShows(await change(id, { [field]: given }), shows);
          const seen = await read(id);
          assertShows(seen, shows);
          assert.deepEqual(still(seen, moves), still(before, moves));
        });
      }
      test(`A5 ${field}: null is not given, on create and on update`, async () => {
        const reply = await create({ [field]: null });
        if (required.includes(field))
          assertRow(reply, { status: 400, code: 'rest_missing_callback_param', params: [field] });
        else assert.equal(reply.status, 201, reply.text);
        const before = await read(id);
        await change(id, { [field]: null });
        assert.deepEqual(still(await read(id), []), still(before, []));
      });
      for (const empty of clear?.[0] ?? []) {
        test(`A5 ${field}: ${JSON.stringify(empty)} empties it on update, and is not given on create`, async () => {
          if (values[0]) await change(id, { [field]: values[0][0] });
          const before = await read(id);
          await change(id, { [field]: empty });
          const seen = await read(id);
          assertShows(seen, clear?.[1] ?? {});
          assert.deepEqual(still(seen, moves), still(before, moves));
          await must(create({ [field]: empty }));
        });
      }
      const refused = { as: 'admin', status: 400, code: 'rest_invalid_param', params: [field] } as const;
      for (const value of bad) {
        const name = `A7 ${field} ${JSON.stringify(value)} is refused on`;
        rows(s, [
          { ...refused, name: `${name} create`, ask: `POST /${plural}`, json: least({ [field]: value }) },
          { ...refused, name: `${name} update`, ask: `PATCH /${plural}/${id}`, json: { [field]: value } },
        ]);
      }
    });
  }
}
