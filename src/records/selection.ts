import type { Change, Keeper } from '../db/changes.js';
import { DAY_SECONDS, YEAR_ZERO } from '../time/clock.js';

/** Days since the year 0 in UTC, as the log of changes counts them. */
export const dayOf = (instant: number): number => Math.floor((instant + YEAR_ZERO) / DAY_SECONDS);

export interface Placed {
  id: number;
  start_utc: number;
  date_utc: number;
}

const inOrder = (a: Placed, b: Placed): number => a.start_utc - b.start_utc || a.date_utc - b.date_utc || a.id - b.id;

/**
 * The events that a question selects, in their order: so that a page, however deep, and the total cost the same
 * whether ten or a million match. After a write only the days it touched are put in order again.
 */
export class Selection {
  private ids: Uint32Array;
  /** How many begin on each day, in order of days. */
  private readonly perDay: Map<number, number>;
  private readonly changed = new Set<number>();
  private readonly touched = new Set<number>();
  /** What it took when it was made, about. */
  readonly bytes: number;

  constructor(
    days: readonly { day: number; ids: string }[],
    /** Venues have a say in it. */
    readonly byPlace: boolean,
  ) {
    const lists = [...days].sort((a, b) => a.day - b.day).map(({ day, ids }) => ({ day, ids: ids.split(',') }));
    this.perDay = new Map(lists.map(({ day, ids }) => [day, ids.length]));
    this.ids = new Uint32Array(lists.reduce((sum, { ids }) => sum + ids.length, 0));
    let at = 0;
    for (const { ids } of lists) for (const id of ids) this.ids[at++] = Number(id);
    this.bytes = this.ids.byteLength + this.perDay.size * 40 + 500;
  }

  get total(): number {
    return this.ids.length;
  }

  page(offset: number, limit: number): number[] {
    return [...this.ids.subarray(offset, offset + limit)];
  }

  forget({ id, day_before, day_after }: Change): void {
    this.changed.add(id);
    for (const day of [day_before, day_after]) if (day !== null) this.touched.add(day);
  }

  /** What must be looked at again: the changed events, and the others of the days they were on or are on now. */
  get stale(): { changed: number[]; others: number[] } | undefined {
    if (this.changed.size === 0) return undefined;
    const others: number[] = [];
    this.eachDay((day, from, to) => {
      if (!this.touched.has(day)) return;
      for (const id of this.ids.subarray(from, to)) if (!this.changed.has(id)) others.push(id);
    });
    return { changed: [...this.changed], others };
  }

  /** Puts what is selected of the touched days in the place of what was. */
  refresh(found: Placed[]): void {
    const byDay = new Map<number, number[]>([...this.touched].map((day) => [day, []]));
    for (const row of found.sort(inOrder)) byDay.get(dayOf(row.start_utc))?.push(row.id);
    const parts: ArrayLike<number>[] = [];
    const counts = new Map<number, number>();
    const put = (day: number, part: ArrayLike<number>): void => {
      if (part.length === 0) return;
      parts.push(part);
      counts.set(day, part.length);
    };
    const fresh = [...byDay].map(([day, ids]) => ({ day, ids })).sort((a, b) => a.day - b.day);
    this.eachDay((day, from, to) => {
      while (fresh[0] && fresh[0].day < day) put(fresh[0].day, fresh.shift()?.ids ?? []);
      if (fresh[0]?.day === day) put(day, fresh.shift()?.ids ?? []);
      else put(day, this.ids.subarray(from, to));
    });
    for (const { day, ids } of fresh) put(day, ids);
    const all = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    this.ids = all;
    this.perDay.clear();
    for (const [day, count] of counts) this.perDay.set(day, count);
    this.changed.clear();
    this.touched.clear();
  }

  private eachDay(visit: (day: number, from: number, to: number) => void): void {
    let from = 0;
    for (const [day, count] of this.perDay) {
      visit(day, from, from + count);
      from += count;
    }
  }
}

const MOST_BYTES = 24_000_000;
const MOST_SELECTIONS = 2000;
/** So many changes at once are counted anew rather than followed. */
const MOST_FOLLOWED = 500;

/** The selections that were asked for lately. */
export class Selections implements Keeper {
  private readonly known = new Map<string, Selection>();
  private bytes = 0;

  get(key: string): Selection | undefined {
    const found = this.known.get(key);
    if (!found) return undefined;
    // A Map keeps the order of insertion: putting it back makes it the youngest.
    this.known.delete(key);
    this.known.set(key, found);
    return found;
  }

  keep(key: string, selection: Selection): void {
    this.drop(key);
    if (selection.bytes > MOST_BYTES / 2) return;
    this.known.set(key, selection);
    this.bytes += selection.bytes + key.length;
    for (const oldest of this.known.keys()) {
      if (this.bytes <= MOST_BYTES && this.known.size <= MOST_SELECTIONS) break;
      this.drop(oldest);
    }
  }

  forget(changes: readonly Change[]): void {
    const events = changes.filter(({ kind }) => kind === 'event');
    const places = changes.some(({ kind }) => kind === 'venue');
    for (const [key, selection] of this.known) {
      if (events.length > MOST_FOLLOWED || (places && selection.byPlace)) this.drop(key);
      else for (const change of events) selection.forget(change);
    }
  }

  clear(): void {
    this.known.clear();
    this.bytes = 0;
  }

  private drop(key: string): void {
    const found = this.known.get(key);
    if (!found) return;
    this.known.delete(key);
    this.bytes -= found.bytes + key.length;
  }
}
