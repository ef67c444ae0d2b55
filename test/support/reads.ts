import { existsSync, readFileSync } from 'node:fs';
import { sql } from 'kysely';
import type { Database, Db, Query } from '../../src/db/database.js';
import { SERVER_URL } from './engine.js';

/** What requests read, in counts that are the same on every machine. */

export interface Asked {
  sql: string;
  values: readonly unknown[];
}

/** Notes what is asked for strangers, and nothing of what the service does by itself: that wants the newest. */
export function noting(database: Database, asked: Asked[]): Database {
  const noted = (db: Db): Db => {
    const note = <Row>(query: Query<Row>): Query<Row> => {
      const { sql: text, parameters } = query.compile(db.q);
      asked.push({ sql: text, values: parameters });
      return query;
    };
    return {
      q: db.q,
      dialect: db.dialect,
      all: (query) => db.all(note(query)),
      first: (query) => db.first(note(query)),
      run: (query) => db.run(query),
      changed: (query) => db.changed(query),
    };
  };
  return {
    ...database,
    read: (work, reading) => database.read(reading?.fresh === false ? (db) => work(noted(db)) : work, reading),
  };
}

interface Plan {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
}

/** Small tables are read from end to end whatever indexes there are: large ones count, where that is out of the question. */
const blocksRead = (database: Database, { sql: text, values }: Asked): Promise<number> =>
  database.read(async (db) => {
    await db.run(sql`SET LOCAL enable_seqscan = off`);
    const explain = { compile: () => ({ sql: `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, parameters: values }) };
    const row = await db.first(explain as unknown as Query<{ 'QUERY PLAN': [{ Plan: Plan }] }>);
    if (!row) throw new Error(`no plan for ${text}`);
    const [{ Plan: plan }] = row['QUERY PLAN'];
    return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  });

/** Of this thread alone: another one moves the log into the file meanwhile. */
const COUNTER = '/proc/thread-self/io';
/** On SQLite it is the system that counts. */
export const cannotCount =
  SERVER_URL !== undefined || existsSync(COUNTER) ? false : 'this system does not tell how often files were read';

/** How often this thread has read from any file. */
const readsSoFar = (): number => Number(/^syscr: (\d+)$/m.exec(readFileSync(COUNTER, 'utf8'))?.[1]);

interface Handle {
  prepare(sql: string): { all(...values: unknown[]): unknown[] };
  close(): void;
}

/** Pages that were read: whoever has read nothing before reads each that it needs once. */
async function pagesRead(file: string, { sql: text, values }: Asked): Promise<number> {
  const name = Number(process.versions.node.split('.')[0]) >= 24 ? 'node:sqlite' : '@photostructure/sqlite';
  const { DatabaseSync } = (await import(name)) as { DatabaseSync: new (file: string) => Handle };
  const handle = new DatabaseSync(file);
  // Reads what it must know of the tables, too.
  const statement = handle.prepare(text);
  const before = readsSoFar();
  statement.all(...values);
  const pages = readsSoFar() - before;
  handle.close();
  return pages;
}

/** Pages of the database that these statements look at. */
export async function cost(database: Database, asked: readonly Asked[]): Promise<number> {
  let sum = 0;
  for (const one of asked)
    sum += database.engine === 'postgres' ? await blocksRead(database, one) : await pagesRead(database.address, one);
  return sum;
}
