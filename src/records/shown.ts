import { hash } from 'node:crypto';
import { asksToEdit, type Context } from './context.js';
import type { Page } from './orders.js';
import type { RecordKind } from './pieces.js';
import { Rendered } from './rendered.js';

/** Records as lists of their kind show them: as bytes, which are cached, where everybody gets the same. */

/** Whether every anonymous caller would get this response. */
export const isForAnybody = (context: Context): boolean =>
  !context.caller.user && context.given.password === undefined && !asksToEdit(context);

interface Making<Row> {
  kind: RecordKind;
  rows: (ids: number[]) => Promise<Row[]>;
  /** Makes what is needed to show these rows. */
  view: (rows: readonly Row[]) => Promise<(row: Row) => unknown>;
  /** What a record depends on. */
  things: (id: number) => readonly string[];
}

/** The records of a page; with a fixed number of statements, and fewer where they are cached. */
export async function shownRecords<Row extends { id: number }>(
  context: Context,
  page: Page<Row>,
  { kind, rows, view, things }: Making<Row>,
): Promise<unknown[]> {
  const { kept } = context;
  // In another form, a record has other members.
  const isUsual = isForAnybody(context) && (context.given.context ?? 'view') === 'view';
  const shelf = isUsual ? kept?.pieces.wholes(kind, context.address.api) : undefined;
  const found = new Map<number, unknown>();
  for (const [id, known] of shelf?.all(page.ids) ?? []) found.set(id, new Rendered([known.bytes], known.digest));
  const missing = page.ids.filter((id) => !found.has(id));
  const read = page.rows?.filter(({ id }) => !found.has(id)) ?? (missing.length > 0 ? await rows(missing) : []);
  const show = await view(read);
  for (const row of read) {
    const shown = show(row);
    if (!shelf) found.set(row.id, shown);
    else {
      const bytes = Buffer.from(JSON.stringify(shown));
      const digest = hash('sha1', bytes, 'buffer');
      found.set(row.id, new Rendered([bytes], digest));
      if (kept?.current.holds()) shelf.set(row.id, { bytes, digest, slug: '', things: things(row.id) });
    }
  }
  return page.ids.flatMap((id) => found.get(id) ?? []);
}
