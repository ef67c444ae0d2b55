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
