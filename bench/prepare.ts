import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database } from '../src/db/database.js';
import { migrationsFor } from '../src/db/migrate.js';
import { openDatabase } from '../src/db/open.js';
import { readSetting, writeSetting } from '../src/db/settings.js';
import type { DataSet } from './data.js';
import { fill } from './fill.js';

/** The data of a run: made once, kept, and copied for every run, since runs write. */

export interface Prepared {
  /** The settings of the server that say where the data is. */
  settings: Record<string, string>;
  /** The Authorization header for writes. */
  admin: string;
  /** Measured when the data was made, in this run or before. */
  eventsPerSecond: number | null;
  megabytes: number;
}

type Say = (share: number, what: string) => void;
const NOTE = 'bench';

/** Changes with everything that the data depends on. */
function keyOf(set: DataSet): string {
  const hash = createHash('sha256').update(JSON.stringify([set, migrationsFor('sqlite')]));
  for (const file of ['data.js', 'words.js', 'fill.js'])
    hash.update(readFileSync(fileURLToPath(new URL(file, import.meta.url))));
  return hash.digest('hex').slice(0, 12);
}

interface Note {
  key: string;
  admin: string;
  eventsPerSecond?: number;
}

async function noteIn(database: Database): Promise<Note | undefined> {
  // If there are no tables, there is no note.
  const note = await database.read((db) => readSetting(db, NOTE)).catch(() => undefined);
  return note === undefined ? undefined : (JSON.parse(note) as Note);
}

async function filled(database: Database, set: DataSet, say: Say): Promise<Note> {
  const { admin, eventSeconds } = await fill(database, set, say);
  const note = { key: keyOf(set), admin, eventsPerSecond: set.events / eventSeconds };
  await database.write((db) => writeSetting(db, NOTE, JSON.stringify(note)));
  return note;
}

/** Prepares the data in a file below `folder`, and a copy of it for the run, in a folder of its own there. */
export async function prepareFile(folder: string, set: DataSet, say: Say, name = 'run'): Promise<Prepared> {
  const file = path.join(folder, `${set.events}-${keyOf(set)}.db`);
  const run = path.join(folder, name);
  mkdirSync(folder, { recursive: true });
  if (!existsSync(file)) {
    const half = `${file}.making`;
    for (const end of ['', '-wal', '-shm']) rmSync(half + end, { force: true });
    const database = await openDatabase(half);
    await filled(database, set, say);
    await database.close();
    renameSync(half, file);
    // The log has been written back, so these are empty.
    for (const end of ['-wal', '-shm']) rmSync(half + end, { force: true });
  }
  rmSync(run, { recursive: true, force: true });
  mkdirSync(run);
  const copy = path.join(run, 'kalends.db');
  cpSync(file, copy);
  const database = await openDatabase(copy);
  const note = await noteIn(database);
  await database.close();
  if (!note) throw new Error(`${file} was not made by this benchmark: remove it`);
  return {
    settings: { KALENDS_DATA_DIR: run },
    admin: note.admin,
    eventsPerSecond: note.eventsPerSecond ?? null,
    megabytes: Math.round(statSync(file).size / 1e6),
  };
}

/** Prepares the data in a separate database, which must be empty or hold this very data; runs add to it. */
export async function prepareDatabase(url: string, folder: string, set: DataSet, say: Say): Promise<Prepared> {
  const run = path.join(folder, 'run');
  mkdirSync(run, { recursive: true });
  // Thousands of events in one statement take longer than the limit for requests.
  const database = await openDatabase(url, { statementTime: 0 });
  try {
    const known = await noteIn(database);
    if (known && known.key !== keyOf(set)) throw new Error(`${url} holds other data: use an empty database`);
    const note = known ?? (await filled(database, set, say));
    const settings = { KALENDS_DATA_DIR: run, DATABASE_URL: url };
    return { settings, admin: note.admin, eventsPerSecond: note.eventsPerSecond ?? null, megabytes: 0 };
  } finally {
    await database.close();
  }
}
