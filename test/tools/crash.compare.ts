import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { sql } from 'kysely';
import type { Db } from '../../src/db/database.js';
import { openDatabase } from '../../src/db/open.js';
import { filesInFolder } from '../../src/media/folder.js';
import { sweep } from '../../src/media/sweep.js';
import type { Book, Kind, May } from './crash.writers.js';
import { API, type Site } from './site.js';
import { jsonOf, jsonRequest, Line } from './wire.js';

/** What is there against what was answered: nothing lost, nothing half. */

interface Row {
  kind: Kind;
  id: number;
  text: string;
}

const everything = (db: Db): Promise<Row[]> =>
  db.all(sql<Row>`SELECT 'event' AS kind, id, title AS text FROM event
    UNION ALL SELECT 'venue', id, name FROM venue
    UNION ALL SELECT 'organizer', id, name FROM organizer
    UNION ALL SELECT kind, id, name FROM term
    UNION ALL SELECT 'image', id, alt FROM image`);

const wholeEvents = (db: Db): Promise<{ id: number; title: string }[]> =>
  db.all(sql<{ id: number; title: string }>`SELECT id, title FROM event WHERE
      (SELECT count(*) FROM event_venue WHERE event_id = event.id) <> 1 OR
      (SELECT count(*) FROM event_organizer WHERE event_id = event.id) <> 1 OR
      (SELECT count(*) FROM event_term WHERE event_id = event.id) <> 3 OR
      id NOT IN (SELECT id FROM event_search)`);

const numberOf = (text: string): number => Number(/\d+/.exec(text)?.[0]);

/** Events without all that came with them, and what came without its event (D7). */
async function halves(db: Db, rows: Row[], book: Book): Promise<string[]> {
  const found = (await wholeEvents(db)).map(({ id, title }) => `half written: event ${id} (${title}) lacks a part`);
  const events = new Set(rows.filter(({ kind }) => kind === 'event').map(({ text }) => numberOf(text)));
  for (const { kind, id, text } of rows) {
    if (!text.startsWith('Inline')) continue;
    const n = numberOf(text);
    if (!events.has(n) && !book.removed.has(n))
      found.push(`half written: ${kind} ${id} (${text}) came without its event`);
  }
  return found;
}

/** A copy of the book as it is at this moment: what was answered by now. */
export const answeredBy = (book: Book): Map<string, May> =>
  new Map([...book.known].map(([key, { may }]) => [key, may]));

/** Compares a database file; `before` are answers that must be in it, for a copy that was begun later. */
export async function problemsInFile(file: string, book: Book, before?: Map<string, May>): Promise<string[]> {
  const database = await openDatabase(file);
  try {
    const problems = await database.integrity();
    return await database.read(async (db) => {
      const rows = await everything(db);
      const texts = new Map(rows.map(({ kind, id, text }) => [`${kind} ${id}`, text]));
      for (const [key, may] of before ?? answeredBy(book)) {
        const text = texts.get(key);
        // In a copy it may also be as it was made since.
        const now = book.known.get(key)?.may ?? [];
        if (!may.includes(text) && !(before && now.includes(text)))
          problems.push(`lost: ${key} is ${text}, answered was ${may.join(' or ')}`);
      }
      return [...problems, ...(await halves(db, rows, book))];
    });
  } finally {
    await database.close();
  }
}

/** The same over HTTP, for what changed since the last time: what the server shows is what the file holds. */
export async function problemsOverHttp(site: Site, port: number, book: Book, most = 150): Promise<string[]> {
  const line = new Line(port);
  const problems: string[] = [];
  const plural = {
    event: 'events',
    venue: 'venues',
    organizer: 'organizers',
    category: 'categories',
    tag: 'tags',
    image: 'media',
  };
  for (const key of [...book.fresh].slice(-most)) {
    const { kind, id, may } = book.known.get(key) as { kind: Kind; id: number; may: May };
    const answer = await line.ask(jsonRequest('GET', `${API}/${plural[kind]}/${id}`, site.users.administrator));
    const json = jsonOf(answer) as Record<string, unknown>;
    const text =
      answer.status === 200 ? (json.title ?? json.venue ?? json.organizer ?? json.name ?? json.alt_text) : undefined;
    if (!may.includes(text as string | undefined))
      problems.push(`lost: ${key} is shown as ${text} (${answer.status}), answered was ${may.join(' or ')}`);
    if (kind === 'image' && answer.status === 200) {
      const path = new URL(String(json.url)).pathname;
      const picture = await line.ask(jsonRequest('GET', path, site.users.administrator));
      if (picture.status !== 200 || picture.body.length !== json.filesize)
        problems.push(`lost: the picture of ${key} is shown with ${picture.status}, ${picture.body.length} bytes`);
    }
  }
  book.fresh.clear();
  line.close();
  return problems;
}

export interface Files {
  problems: string[];
  /** Files that no row names: they take room, and nothing else. */
  orphans: number;
}

/** What kills left behind goes at the next sweep, without the hour of grace: nothing is running. */
export async function sweepFiles(site: Site): Promise<void> {
  const database = await openDatabase(site.file);
  try {
    await sweep(database, filesInFolder(path.join(site.dir, 'media')), 0);
  } finally {
    await database.close();
  }
}

/** Every file that a row names is there, whole. */
export async function filesOf(site: Site): Promise<Files> {
  const folder = path.join(site.dir, 'media');
  const there = new Map<string, number>();
  const entries = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
  for (const entry of entries.filter((one) => one.isFile()))
    there.set(entry.name, statSync(path.join(entry.parentPath ?? entry.path, entry.name)).size);
  const database = await openDatabase(site.file);
  try {
    type Image = { id: number; file: string; extension: string; filesize: number; sizes: string };
    const images = await database.read((db) => db.all(sql<Image>`SELECT * FROM image`));
    const problems: string[] = [];
    const named = new Set<string>();
    for (const { id, file, extension, filesize, sizes } of images) {
      const parts = Object.entries(JSON.parse(sizes) as Record<string, { filesize: number }>);
      for (const [size, bytes] of [
        ['', filesize] as const,
        ...parts.map(([name, one]) => [`-${name}`, one.filesize] as const),
      ]) {
        const name = `${file}${size}.${extension}`;
        named.add(name);
        if (there.get(name) !== bytes)
          problems.push(`half written: image ${id}, ${name} has ${there.get(name)} of ${bytes} bytes`);
      }
    }
    return { problems, orphans: [...there.keys()].filter((name) => !named.has(name)).length };
  } finally {
    await database.close();
  }
}
