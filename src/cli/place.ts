import { existsSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { EXIT, Refusal } from './io.js';
import { COMPANIONS } from './verify.js';

/** Where a name leads to by whatever links, also if nothing is there yet. */
function realPlace(name: string): string {
  const absolute = path.resolve(name);
  if (existsSync(absolute)) return realpathSync(absolute);
  return path.join(realPlace(path.dirname(absolute)), path.basename(absolute));
}

/** Whether a name is that of a database, or of what SQLite keeps beside it. */
export function belongsTo(database: string, name: string): boolean {
  const [own, place] = [realPlace(database), realPlace(name)];
  return ['', ...COMPANIONS].some((suffix) => own + suffix === place);
}

/** A file can be written there that takes nothing away from anybody. */
export function requireFreePlace(file: string, source: string, force: boolean | undefined): void {
  if (belongsTo(source, file)) throw new Refusal('FILE is the database itself. Choose another name.', EXIT.usage);
  if (!existsSync(path.dirname(file))) throw new Refusal(`There is no folder ${path.dirname(file)}. Make it first.`);
  const there = statSync(file, { throwIfNoEntry: false });
  if (there?.isDirectory()) throw new Refusal(`${file} is a folder. Name a file in it.`, EXIT.usage);
  // A device or a pipe would give way to a file, and others would miss it.
  if (there && !there.isFile()) throw new Refusal(`${file} is not a regular file. Choose another name.`, EXIT.usage);
  if (there && !force) throw new Refusal(`${file} exists already. Choose another name, or say --force to replace it.`);
}
