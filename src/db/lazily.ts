import type { Database, Db, Reading } from './database.js';

/**
 * Reads from a view of the data that begins when it is first asked: whoever finds everything in memory needs none.
 * `begun` looks at the view before anybody else does; where it fails, so does the reader.
 */
export async function lazily<T>(
  { read, builds }: Pick<Database, 'read' | 'builds'>,
  reading: Reading,
  begun: (db: Db) => Promise<void>,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  let view: Promise<Db> | undefined;
  let ended: Promise<unknown> | undefined;
  let end = (): void => {};
  const until = new Promise<void>((resolve) => {
    end = resolve;
  });
  const begin = (): Promise<Db> => {
    view ??= new Promise((resolve, reject) => {
      ended = read(async (db) => {
        await begun(db);
        resolve(db);
        await until;
      }, reading).catch(reject);
    });
    return view;
  };
  try {
    return await work({
      ...builds,
      all: async (query) => (await begin()).all(query),
      first: async (query) => (await begin()).first(query),
      run: async (query) => (await begin()).run(query),
    });
  } finally {
    end();
    await ended;
  }
}
