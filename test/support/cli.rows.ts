import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { execute, folder, fresh } from './cli.js';

/** Rows as the service would write them, and then a little wrong. */
const counted = (name: string, id: number): string =>
  `UPDATE counter SET value = max(value, ${id}) WHERE name = '${name}'`;

export const EVENT = (id: number, more: Record<string, string | number> = {}): string[] => {
  const columns = {
    ...{ id, uid: `e${id}`, revision: 0, change_seq: id, created_at: 0, author_id: 1, status: 'publish', date_utc: 0 },
    ...{ modified_utc: 0, slug: `e${id}`, title: 'Fest', description: '', excerpt: '', all_day: 0, cost: '[]' },
    ...{ timezone: 'Europe/Berlin', start_local: '2026-07-01 20:00:00', end_local: '2026-07-01 22:00:00' },
    ...{ start_utc: 1782928800, end_utc: 1782936000, show_map: 1, show_map_link: 1, hide_from_listings: 0, sticky: 0 },
    ...{ featured: 0, ticketed: 0, ...more },
  };
  const values = Object.values(columns).map((value) => (typeof value === 'string' ? `'${value}'` : value));
  return [
    counted('record', id),
    `INSERT INTO record (id, kind) VALUES (${id}, 'event')`,
    `INSERT INTO event (${Object.keys(columns).join()}) VALUES (${values.join()})`,
    `INSERT INTO event_search (id, text) VALUES (${id}, 'fest')`,
    `INSERT INTO event_search_index (rowid, text) VALUES (${id}, 'fest')`,
  ];
};
export const TERM = (id: number, count: number): string[] => [
  counted('term', id),
  `INSERT INTO term (id, kind, uid, revision, change_seq, name, name_key, slug, description, count)
   VALUES (${id}, 'tag', 't${id}', 0, 0, 'T', 't', 't${id}', '', ${count})`,
  `INSERT INTO term_search (id, text) VALUES (${id}, 't')`,
  `INSERT INTO unindexed (search, id) VALUES ('term_search', ${id})`,
];

export async function filled(...statements: string[]): Promise<string> {
  const data = fresh();
  mkdirSync(data);
  const user = "INSERT INTO user (username, username_key, role, created_at) VALUES ('ann', 'ann', 'administrator', 0)";
  await execute(data, user, counted('user', 1), ...statements);
  return data;
}

/** What was made under a name, and what was left beside it. */
export const besides = (name: string): string[] => readdirSync(folder).filter((other) => other.startsWith(name));

export const manyEvents = (): string[] =>
  Array.from({ length: 300 }, (_, n) => EVENT(n + 1, { description: 'x'.repeat(500) })).flat();

/** Overwrites pages in the middle, as a bad disk does. */
export function tear(file: string): void {
  const bytes = readFileSync(file);
  const pages = bytes.length / 4096;
  for (let page = Math.floor(pages / 2); page < pages; page++) bytes.fill(0xa5, page * 4096, page * 4096 + 200);
  writeFileSync(file, bytes);
}
