import type { Database, Db, Freshness, Query } from './database.js';

/** A snapshot of the data, until its reader leaves it. */
export interface View {
  db: Db;
  leave(): Promise<void>;
}

/** Reads from a snapshot that begins with the first statement: a reader that finds everything in memory needs none. */
export async function lazily<T>(
  builds: Database['builds'],
  begin: () => Promise<View>,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  const db = new LazyDb(builds, begin);
  try {
    return await work(db);
  } finally {
    // If it could not be opened, the reader got the error already.
    await db.begun?.then(
      ({ leave }) => leave(),
      () => {},
    );
  }
}

/** One is created for every request, also for those answered from memory. */
class LazyDb implements Db {
  readonly q: Db['q'];
  readonly dialect: Db['dialect'];
  begun: Promise<View> | undefined;

  constructor(
    builds: Database['builds'],
    private readonly begin: () => Promise<View>,
  ) {
    this.q = builds.q;
    this.dialect = builds.dialect;
  }

  private async view(): Promise<Db> {
    this.begun ??= this.begin();
    return (await this.begun).db;
  }

  async all<Row>(query: Query<Row>): Promise<Row[]> {
    return (await this.view()).all(query);
  }

  async first<Row>(query: Query<Row>): Promise<Row | undefined> {
    return (await this.view()).first(query);
  }

  async run(query: Query<unknown>, reach?: 'far'): Promise<void> {
    return (await this.view()).run(query, reach);
  }

  async changed(query: Query<unknown>): Promise<number> {
    return (await this.view()).changed(query);
  }
}

/** Thrown out of a read: the reader should end its snapshot and start again when `made` is ready. */
export class BeingMade extends Error {
  constructor(readonly made: Promise<void>) {
    super('What is needed is being made');
  }
}

/** `look` sees the snapshot before anybody else does; if it fails, so does opening the snapshot. */
export function viewOf(
  { read }: Pick<Database, 'read'>,
  freshness: Freshness,
  look: (db: Db) => Promise<void>,
): Promise<View> {
  let end = (): void => {};
  const until = new Promise<void>((resolve) => {
    end = resolve;
  });
  return new Promise((resolve, reject) => {
    const ended = read(async (db) => {
      await look(db);
      resolve({ db, leave });
      await until;
    }, freshness).catch(reject);
    const leave = async (): Promise<void> => {
      end();
      await ended;
    };
  });
}

/** Short: it does not show what is written meanwhile, and SQLite cannot restart its log while anybody reads from it. */
const SHARED_MS = 10;

interface Shared {
  of: object;
  view: Promise<View>;
  readers: number;
  isOver: boolean;
}

/**
 * One snapshot for all readers that arrive within a moment and expect the same state: opening one, and checking that
 * the data is still in that state, costs more than most of their queries. For an engine that answers at once; with any
 * other, the readers would queue up.
 */
export class SharedViews {
  private latest: Shared | undefined;

  constructor(private readonly milliseconds = SHARED_MS) {}

  /** `of`: the state that its readers expect. `begin` opens a snapshot that shows it. */
  async take(of: object, begin: () => Promise<View>): Promise<View> {
    const shared = this.latest?.of === of ? this.latest : this.share(of, begin);
    shared.readers++;
    const leave = async (): Promise<void> => {
      shared.readers--;
      await this.settle(shared);
    };
    try {
      return { db: (await shared.view).db, leave };
    } catch (error) {
      this.end(shared);
      throw error;
    }
  }

  private share(of: object, begin: () => Promise<View>): Shared {
    if (this.latest) this.end(this.latest);
    const shared = { of, view: begin(), readers: 0, isOver: false };
    this.latest = shared;
    setTimeout(() => this.end(shared), this.milliseconds);
    return shared;
  }

  private end(shared: Shared): void {
    if (this.latest === shared) this.latest = undefined;
    shared.isOver = true;
    void this.settle(shared);
  }

  /** The last reader to leave ends it. */
  private async settle({ view, readers, isOver }: Shared): Promise<void> {
    if (!isOver || readers > 0) return;
    const begun = await view.catch(() => undefined);
    await begun?.leave();
  }
}
