import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { readSetting, writeSetting } from '../../src/db/settings.js';
import { reschedule } from '../../src/events/reschedule.js';
import { behaviour, eventually, makeEvent, must } from '../support/rows.js';
import { startServer } from '../support/server.js';

/** What an event looks like that was written before a government changed the rules. */
behaviour('rules of time zones that came with Node (D4)', async (s) => {
  const HOUR = 3600;
  const evening = { start_date: '2031-01-15 20:00:00', end_date: '2031-01-15 22:00:00', timezone: 'America/Vancouver' };
  const written = async (more: object = {}): Promise<number> => (await makeEvent(s, { ...evening, ...more })).id;
  const times = async (id: number) => {
    const json = await must(s.get(`/events/${id}`), 200);
    const { start_date, end_date, utc_start_date, utc_end_date, modified, json_ld } = json;
    return { start_date, end_date, utc_start_date, utc_end_date, modified, startDate: json_ld.startDate };
  };
  const tellBy = (rules: string | undefined) =>
    s.database.write(async (db) => {
      await db.run(sql`DELETE FROM setting WHERE name = 'zone.rules'`);
      if (rules !== undefined) await writeSetting(db, 'zone.rules', rules);
    });
  const shift = (id: number, seconds: number) =>
    s.database.write((db) =>
      db.run(sql`UPDATE event SET start_utc = start_utc + ${seconds}, end_utc = end_utc + ${seconds} WHERE id = ${id}`),
    );
  const noted = () => s.database.read((db) => readSetting(db, 'zone.rules'));

  test('a new calendar is told by those of today', async () => {
    assert.equal(await noted(), process.versions.tz);
  });

  for (const [name, rules] of [
    ['of long ago', '2001a'],
    ['nobody noted', undefined],
  ] as const) {
    test(`${name}: events keep their wall clock, and their instants follow`, async () => {
      s.logs.length = 0;
      const ids = [await written(), await written({ all_day: true }), await written()];
      const untouched = await written();
      const right = await Promise.all(ids.map(times));
      const before = await times(untouched);
      for (const id of ids) await shift(id, HOUR);
      await tellBy(rules);
      await eventually(async () => !isDeepStrictEqual(await times(ids[0] as number), right[0]) || undefined);
      const newer = await startServer({}, s);
      try {
        await eventually(async () => (await noted()) === process.versions.tz || undefined);
        // Here as well as there.
        await eventually(async () => isDeepStrictEqual(await Promise.all(ids.map(times)), right) || undefined);
        assert.deepEqual(await times(untouched), before);
        // Whichever of the two came first.
        const told = () =>
          [...s.logs, ...newer.logs]
            .filter((line) => line.includes('newer time zone rules'))
            .reduce((sum, line) => sum + JSON.parse(line).events, 0);
        await eventually(async () => told() === ids.length || undefined);
      } finally {
        await newer.close();
      }
    });
  }

  test('by rules that others know and this one does not, nothing is changed; that it writes by its own is noted', async () => {
    const id = await written();
    await shift(id, HOUR);
    const wrong = await times(id);
    await tellBy('2999z');
    const older = await startServer({}, s);
    try {
      // It looks at once, and then seldom.
      await new Promise((done) => setTimeout(done, 500));
      assert.deepEqual(await times(id), wrong);
      assert.equal(await noted(), process.versions.tz, 'so that the others look again');
      // They have, and it goes on writing until it is replaced.
      await tellBy('2999z');
    } finally {
      await older.close();
    }
    assert.equal(await noted(), process.versions.tz);
  });

  test('a stop ends it between two groups; whoever starts next begins anew and finishes it', async () => {
    const last = (await Promise.all([written(), written(), written()])).at(-1) as number;
    const right = await times(last);
    const isRight = async () => isDeepStrictEqual(await times(last), right);
    await shift(last, HOUR);
    await tellBy('2001a');
    assert.equal(await reschedule(s.database, () => true, 2), undefined);
    assert.equal(await noted(), '2001a');
    await eventually(async () => !(await isRight()) || undefined);
    assert.ok(((await reschedule(s.database, () => false, 2)) ?? 0) > 0);
    assert.equal(await noted(), process.versions.tz);
    await eventually(async () => (await isRight()) || undefined);
  });
});
