import { Repeated } from '../records/readers.js';

/**
 * Reads names and values as the reference's platform does, in queries and in forms (A4): brackets make lists and
 * objects, blanks and dots in a name become underscores, and of a repeated name the last value counts.
 */

const MOST_PAIRS = 2000;
const DEEPEST = 64;

/** Whether a parameter is a list: its name, repeated without brackets, then means several elements (B9). */
export type IsList = (name: string) => boolean;

/** A percent sign that begins no octet stands for itself. All octets are known to be valid UTF-8. */
function decoded(text: string): string {
  const plain = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!plain.includes('%')) return plain;
  return /%(?![0-9a-f]{2})/i.test(plain)
    ? plain.replace(/(?:%[0-9a-f]{2})+/gi, decodeURIComponent)
    : decodeURIComponent(plain);
}

const firstName = (text: string): string => text.replace(/[ .[]/g, '_');

/** `a[b][]`: `a`, `b`, and undefined for the next free index. Brackets that are not closed do not count. */
function pathOf(written: string): (string | undefined)[] {
  const [text = ''] = written.replace(/^ +/, '').split('\0', 1);
  const open = text.indexOf('[');
  if (open < 0 || !text.includes(']', open)) return [firstName(text)];
  const path: (string | undefined)[] = [firstName(text.slice(0, open))];
  for (let at = open; text[at] === '['; ) {
    const blank = /\s/.test(text[at + 1] ?? '') ? 1 : 0;
    const close = text.indexOf(']', at + 1 + blank);
    if (close < 0) break;
    path.push(close === at + 1 + blank ? undefined : text.slice(at + 1, close));
    at = close + 1;
  }
  return path;
}

/** What brackets make, in order of arrival; `#next` is the index that `[]` stands for. */
class Members extends Map<string, string | Members> {
  #next = 0;

  add(name: string | undefined, value: string | Members): void {
    const key = name ?? String(this.#next);
    this.set(key, value);
    if (/^(0|[1-9]\d{0,14})$/.test(key)) this.#next = Math.max(this.#next, Number(key) + 1);
  }

  /** Replaces a text of that name. */
  below(name: string | undefined): Members {
    const known = name === undefined ? undefined : this.get(name);
    if (known instanceof Members) return known;
    const made = new Members();
    this.add(name, made);
    return made;
  }
}

/** Names of what every object inherits cannot be set. */
const isTaken = (name: string): boolean => name in Object.prototype;

/** If all names are numbers, it is a list; gaps do not matter. */
function readyOf(one: unknown): unknown {
  if (!(one instanceof Members)) return one;
  if ([...one.keys()].every((name) => /^-?\d+$/.test(name))) return [...one.values()].map(readyOf);
  return Object.fromEntries([...one].filter(([name]) => !isTaken(name)).map(([name, value]) => [name, readyOf(value)]));
}

/** The value so far as a list, with one more element. */
function longer(before: unknown, value: string): Members | Repeated {
  if (!(before instanceof Members)) return Repeated.from([before as string | Repeated, value].flat()) as Repeated;
  before.add(undefined, value);
  return before;
}

export function formOf(text: string, isList: IsList): Record<string, unknown> {
  const form: Record<string, unknown> = {};
  for (const pair of text.split('&', MOST_PAIRS)) {
    const at = pair.indexOf('=');
    const written = decoded(at < 0 ? pair : pair.slice(0, at));
    // Nearly all names are plain.
    const [name = '', ...path] = /[ .[\0]/.test(written) ? pathOf(written) : [written];
    if (name === '' || isTaken(name) || path.length >= DEEPEST) continue;
    const value = at < 0 ? '' : decoded(pair.slice(at + 1));
    const before = form[name];
    if (path.length > 0) {
      const last = path.pop();
      const members = before instanceof Members ? before : new Members();
      path.reduce((one, step) => one.below(step), members).add(last, value);
      form[name] = members;
    } else form[name] = before !== undefined && isList(name) ? longer(before, value) : value;
  }
  for (const name of Object.keys(form)) form[name] = readyOf(form[name]);
  return form;
}
