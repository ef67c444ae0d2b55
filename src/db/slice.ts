import { type RawBuilder, sql } from 'kysely';

/**
 * A page of rows. If LIMIT were a bare parameter, SQLite would compile the statement anew each time, in case another
 * plan suits the number better.
 */
export const sliceOf = ({ perPage, skip }: { perPage: number; skip: number }): RawBuilder<unknown> =>
  sql`LIMIT cast(${perPage} AS bigint) OFFSET cast(${skip} AS bigint)`;
