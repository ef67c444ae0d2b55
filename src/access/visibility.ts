import { type Expression, type SqlBool, sql } from 'kysely';
import type { PostTable, Status } from '../db/tables.js';
import { type Caller, editsOthers, publishes, writes } from './rights.js';

/**
 * What a caller may read (E2): everything, or published records and its own. Decided only here; `mayRead` and `mayShow`
 * apply it to one record, `inScope`, `readable` and `listed` to rows in SQL.
 */
export interface Scope {
  all: boolean;
  own: number | undefined;
}

function scopeOf(caller: Caller): Scope {
  return { all: editsOthers(caller), own: caller.user?.id };
}

export function mayRead(caller: Caller, subject: { author_id: number; status: Status }): boolean {
  const scope = scopeOf(caller);
  return scope.all || subject.status === 'publish' || subject.author_id === scope.own;
}

/** `readable`, for one record. */
export const mayShow = (caller: Caller, subject: { author_id: number; status: Status }): boolean =>
  subject.status !== 'trash' && mayRead(caller, subject);

/**
 * The status of a row found by other means, written so that no index on it is used: nearly every row is published, so
 * going through all of those to find a few would be the slowest way. (For SQLite the cast is an expression without an
 * index; PostgreSQL sees through it and decides by its statistics.)
 */
const statusOf = (table: PostTable): Expression<string> => sql<string>`CAST(${sql.ref(`${table}.status`)} AS TEXT)`;

/** Rows that the caller may read, including those in the trash: `mayRead` in SQL. */
export function inScope(table: PostTable, caller: Caller): Expression<SqlBool> {
  const scope = scopeOf(caller);
  if (scope.all) return sql<SqlBool>`1 = 1`;
  const published = sql<SqlBool>`${statusOf(table)} = 'publish'`;
  if (scope.own === undefined) return published;
  return sql<SqlBool>`(${published} OR ${sql.ref<number>(`${table}.author_id`)} = ${scope.own})`;
}

/** Rows that the caller may read and that are not in the trash: for embedding, counting, linking (D15, B16). */
export function readable(table: PostTable, caller: Caller): Expression<SqlBool> {
  const scope = scopeOf(caller);
  const status = statusOf(table);
  if (scope.all) return sql<SqlBool>`${status} <> 'trash'`;
  if (scope.own === undefined) return sql<SqlBool>`${status} = 'publish'`;
  const author = sql.ref<number>(`${table}.author_id`);
  return sql<SqlBool>`(${status} = 'publish' OR (${author} = ${scope.own} AND ${status} <> 'trash'))`;
}

/** Rows with the requested statuses that the caller may read (B11). `narrow`: other filters leave only a few rows. */
export function listed(
  table: PostTable,
  caller: Caller,
  statuses: readonly Status[],
  narrow = false,
): Expression<SqlBool> {
  const scope = scopeOf(caller);
  const status = narrow ? statusOf(table) : sql.ref<string>(`${table}.status`);
  const asked = sql<SqlBool>`${status} IN (${sql.join(statuses.map((s) => sql.lit(s)))})`;
  if (scope.all) return asked;
  if (scope.own === undefined)
    return statuses.includes('publish') ? sql<SqlBool>`${status} = 'publish'` : sql<SqlBool>`1 = 0`;
  // Not "published or own" alone: the engine would read the whole table for either half.
  const mine = sql<SqlBool>`${sql.ref<number>(`${table}.author_id`)} = ${scope.own}`;
  return sql<SqlBool>`(${asked} AND (${statusOf(table)} = 'publish' OR ${mine}))`;
}

/**
 * Events whose password-protected members the caller may know: those without a password, its own, all for editors, and
 * those that the password it sent opens (`opened`: its hash) (E3, E4).
 */
export function unveiled(caller: Caller, opened?: string): Expression<SqlBool> {
  const scope = scopeOf(caller);
  if (scope.all) return sql<SqlBool>`1 = 1`;
  const open = sql<SqlBool>`event.password_hash IS NULL`;
  const known = [
    ...(scope.own === undefined ? [] : [sql<SqlBool>`event.author_id = ${scope.own}`]),
    ...(opened === undefined ? [] : [sql<SqlBool>`event.password_hash = ${opened}`]),
  ];
  return known.length === 0 ? open : sql<SqlBool>`(${sql.join([open, ...known], sql` OR `)})`;
}

/** Events that the caller may edit: `mayEdit` in SQL. Undefined: none at all. */
export function editable(caller: Caller): Expression<SqlBool> | undefined {
  const scope = scopeOf(caller);
  if (scope.all) return sql<SqlBool>`1 = 1`;
  if (!writes(caller)) return undefined;
  const own = sql<SqlBool>`event.author_id = ${scope.own}`;
  if (publishes(caller)) return own;
  const status = sql`CASE WHEN event.status = 'trash' THEN event.status_before_trash ELSE event.status END`;
  return sql<SqlBool>`(${own} AND ${status} NOT IN ('publish', 'future'))`;
}
