import { sql } from 'kysely';
import type { Db, SearchTable } from '../db/database.js';
import type { EventTable, OrganizerTable, TermTable, VenueTable } from '../db/tables.js';

/** SQL that looks at the data as a whole, for `check`, `backup`, `restore` and `serve --demo`. */
export interface Counts {
  events: number;
  venues: number;
  organizers: number;
  terms: number;
  users: number;
}

export async function counts(db: Db): Promise<Counts> {
  const row = await db.first(sql<Counts>`SELECT
    (SELECT count(*) FROM event) AS events,
    (SELECT count(*) FROM venue) AS venues,
    (SELECT count(*) FROM organizer) AS organizers,
    (SELECT count(*) FROM term) AS terms,
    (SELECT count(*) FROM "user" WHERE removed_at IS NULL) AS users`);
  if (!row) throw new Error('The database gave no counts');
  return row;
}

const SURROUNDINGS = ['instance', 'loose_file'];

/**
 * What a backup says about its surroundings, if it is of a version that does: which servers ran, and which files of
 * pictures were to be removed. The calendar that it replaces may show some of these, and is kept. Only for SQLite.
 */
export async function forgetSurroundings(db: Db): Promise<void> {
  const tables = await db.all(sql<{ name: string }>`SELECT name FROM sqlite_master WHERE type = 'table'`);
  for (const { name } of tables) if (SURROUNDINGS.includes(name)) await db.run(sql`DELETE FROM ${sql.table(name)}`);
}

export const wrongTermCounts = (
  db: Db,
): Promise<{ id: number; kind: string; slug: string; count: number; real: number }[]> =>
  db.all(sql<{ id: number; kind: string; slug: string; count: number; real: number }>`
    SELECT term.id, term.kind, term.slug, term.count, coalesce(carried.real, 0) AS real
    FROM term LEFT JOIN (
      SELECT event_term.term_id, count(*) AS real FROM event_term JOIN event ON event.id = event_term.event_id
      WHERE event.status = 'publish' GROUP BY event_term.term_id) AS carried ON carried.term_id = term.id
    WHERE term.count <> coalesce(carried.real, 0) ORDER BY term.id`);

interface Searched {
  event: EventTable;
  venue: VenueTable;
  organizer: OrganizerTable;
  term: TermTable;
}
export type SearchedTable = keyof Searched;

const searchTable = (table: SearchedTable): SearchTable => `${table}_search`;

/** Rows that are missing from the search index. */
export const unsearched = <T extends SearchedTable>(db: Db, table: T): Promise<Searched[T][]> =>
  db.all(sql<Searched[T]>`SELECT * FROM ${sql.table(table)}
    WHERE id NOT IN ${db.dialect.searchable(searchTable(table))} ORDER BY id`);

/** Rows of the search index that belong to no record. */
export const orphanedSearch = (db: Db, table: SearchedTable): Promise<{ id: number }[]> =>
  db.all(sql<{ id: number }>`SELECT found.id FROM ${db.dialect.searchable(searchTable(table))} AS found
    WHERE found.id NOT IN (SELECT id FROM ${sql.table(table)}) ORDER BY found.id`);

/** Venues that have coordinates but are not in the location index, or the other way round. */
export const misplacedVenues = (db: Db): Promise<{ id: number }[]> =>
  db.all(sql<{ id: number }>`SELECT id FROM venue
      WHERE (geo_x IS NOT NULL) <> (id IN ${db.dialect.placed()})
    UNION SELECT placed.id FROM ${db.dialect.placed()} AS placed WHERE placed.id NOT IN (SELECT id FROM venue) ORDER BY id`);

export const repeatedSlugs = (db: Db): Promise<{ kind: string; slug: string; n: number }[]> =>
  db.all(sql<{ kind: string; slug: string; n: number }>`SELECT kind, slug, count(*) AS n FROM (
      SELECT 'event' AS kind, slug FROM event UNION ALL SELECT 'venue', slug FROM venue
      UNION ALL SELECT 'organizer', slug FROM organizer UNION ALL SELECT kind, slug FROM term) AS slugs
    WHERE slug <> '' GROUP BY kind, slug HAVING count(*) > 1 ORDER BY kind, slug`);

type Lists = Pick<EventTable, 'id' | 'cost' | 'tickets' | 'start_local' | 'end_local'>;

/** What of events is read as more than text, in the order of their ids. */
export const lists = (db: Db, after: number, many: number): Promise<Lists[]> =>
  db.all(
    db.q
      .selectFrom('event')
      .select(['id', 'cost', 'tickets', 'start_local', 'end_local'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(many),
  );

/** Counters that would give out a number again. */
export const lowCounters = (db: Db): Promise<{ name: string; value: number; most: number }[]> =>
  db.all(sql<{ name: string; value: number; most: number }>`
    SELECT used.name, coalesce(counter.value, 0) AS value, used.most FROM (
      SELECT 'record' AS name, (SELECT max(id) FROM record) AS most
      UNION ALL SELECT 'term', (SELECT max(id) FROM term)
      UNION ALL SELECT 'user', (SELECT max(id) FROM "user")
      UNION ALL SELECT 'credential', (SELECT max(id) FROM credential)) AS used
    LEFT JOIN counter ON counter.name = used.name
    WHERE used.most > coalesce(counter.value, 0) ORDER BY used.name`);

/** Terms from which the way up never ends. */
export const loopedTerms = (db: Db): Promise<Pick<TermTable, 'id' | 'kind' | 'slug'>[]> =>
  db.all(sql<Pick<TermTable, 'id' | 'kind' | 'slug'>>`WITH RECURSIVE ended (id) AS (
      SELECT id FROM term WHERE parent_id IS NULL
      UNION SELECT term.id FROM term JOIN ended ON term.parent_id = ended.id)
    SELECT id, kind, slug FROM term WHERE id NOT IN (SELECT id FROM ended) ORDER BY id`);
