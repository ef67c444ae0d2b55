import type { Change, Keeper } from '../db/changes.js';
import { Lru } from '../lru.js';
import { beginOfUtcDay, DAY, utcDayOf } from '../time/clock.js';

export interface Placed {
  id: number;
  start_utc: number;
  end_utc: number;
  date_utc: number;
}
/** The events that begin on one day, in their order, with commas between. */
export interface DayRow {
  day: number;
  ids: string;
  starts: string;
  ends: string;
}
/** Seconds since 1970, each of them included. */
export interface Bounds {
  startFrom?: number;
  startUntil?: number;
  endFrom?: number;
  endUntil?: number;
}

interface Day {
  ids: Uint32Array;
  starts: Float64Array;
  ends: Float64Array;
  firstEnd: number;
  lastEnd: number;
}

function dayFrom(ids: number[], starts: number[], ends: number[]): Day {
  return {
    ids: Uint32Array.from(ids),
    starts: Float64Array.from(starts),
    ends: Float64Array.from(ends),
    firstEnd: ends.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
    lastEnd: ends.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY),
  };
}

const inOrder = (a: Placed, b: Placed): number => a.start_utc - b.start_utc || a.date_utc - b.date_utc || a.id - b.id;
const numbers = (text: string): number[] => text.split(',').map(Number);

/**
 * The events that a question selects whatever the dates, day by day in their order: so that a page, however deep, and
 * the total of any window cost the same whether ten or a million match. After a write only the days it touched are put
 * in order again.
 */
export class Selection {
  private readonly days = new Map<number, Day>();
  private order: number[] | undefined;
  private readonly changed = new Set<number>();
  private readonly touched = new Set<number>();
  /** What it took when it was made, about. */
  readonly bytes: number;

  constructor(
    rows: readonly DayRow[],
    /** Venues have a say in it. */
    readonly byPlace: boolean,
  ) {
    let many = 0;
    for (const { day, ids, starts, ends } of rows) {
      const made = dayFrom(numbers(ids), numbers(starts), numbers(ends));
      this.days.set(day, made);
      many += made.ids.length;
    }
    this.bytes = many * 20 + this.days.size * 400 + 500;
  }

  /** Some of the events in a window, and how many there are in all. */
  within(bounds: Bounds, offset: number, limit: number): { ids: number[]; total: number } {
    const { startFrom = -Infinity, startUntil = Infinity, endFrom = -Infinity, endUntil = Infinity } = bounds;
    const ids: number[] = [];
    let total = 0;
    this.order ??= [...this.days.keys()].sort((a, b) => a - b);
    for (const key of this.order) {
      const begin = beginOfUtcDay(key);
      // Nobody ends before it begins.
      if (begin > startUntil || begin > endUntil) break;
      if (begin + DAY <= startFrom) continue;
      const day = this.days.get(key) as Day;
      const whole =
        begin >= startFrom && begin + DAY - 1 <= startUntil && day.firstEnd >= endFrom && day.lastEnd <= endUntil;
      if (whole && (total + day.ids.length <= offset || total >= offset + limit)) {
        total += day.ids.length;
        continue;
      }
      for (let n = 0; n < day.ids.length; n++) {
        const [start, end] = [day.starts[n] as number, day.ends[n] as number];
        if (start < startFrom || start > startUntil || end < endFrom || end > endUntil) continue;
        if (total >= offset && ids.length < limit) ids.push(day.ids[n] as number);
        total++;
      }
    }
    return { ids, total };
  }

  forget({ id, day_before, day_after }: Change): void {
    this.changed.add(id);
    for (const day of [day_before, day_after]) if (day !== null) this.touched.add(day);
  }

  /** What must be looked at again: the changed events, and the others of the days they were on or are on now. */
  get stale(): { changed: number[]; others: number[] } | undefined {
    if (this.changed.size === 0) return undefined;
    const others = [...this.touched].flatMap((day) => [...(this.days.get(day)?.ids ?? [])]);
    return { changed: [...this.changed], others: others.filter((id) => !this.changed.has(id)) };
  }

  /** Puts what is selected of the touched days in the place of what was. */
  refresh(found: Placed[]): void {
    const fresh = new Map<number, Placed[]>([...this.touched].map((day) => [day, []]));
    for (const row of found.sort(inOrder)) fresh.get(utcDayOf(row.start_utc))?.push(row);
    for (const [day, rows] of fresh) {
      if (rows.length === 0) this.days.delete(day);
      else {
        const column = (name: keyof Placed): number[] => rows.map((row) => row[name]);
        this.days.set(day, dayFrom(column('id'), column('start_utc'), column('end_utc')));
      }
    }
    this.order = undefined;
    this.changed.clear();
    this.touched.clear();
  }
}

const MOST_BYTES = 48_000_000;
const MOST_SELECTIONS = 2000;
/** So many changes at once are counted anew rather than followed. */
const MOST_FOLLOWED = 500;

/** The selections that were asked for lately. */
export class Selections implements Keeper {
  private readonly known = new Lru<string, Selection>(MOST_BYTES, MOST_SELECTIONS);
  private readonly asked = new Lru<string, 'once' | 'too large'>(1_000_000, 10_000);

  get(key: string): Selection | undefined {
    return this.known.get(key);
  }

  /** Whether it is worth while to make one: the question comes again, and there is room. It is noted. */
  isWanted(key: string): boolean {
    const before = this.asked.get(key);
    if (before === undefined) this.asked.set(key, 'once', key.length);
    return before === 'once';
  }

  keep(key: string, selection: Selection): void {
    const bytes = selection.bytes + key.length;
    // Made in vain: the next question is better answered by the index.
    if (bytes > MOST_BYTES / 2) this.asked.set(key, 'too large', key.length);
    else this.known.set(key, selection, bytes);
  }

  forget(changes: readonly Change[]): void {
    const events = changes.filter(({ kind }) => kind === 'event');
    const places = changes.some(({ kind }) => kind === 'venue');
    for (const [key, selection] of this.known.entries()) {
      if (events.length > MOST_FOLLOWED || (places && selection.byPlace)) this.known.delete(key);
      else for (const change of events) selection.forget(change);
    }
  }

  clear(): void {
    this.known.clear();
  }
}
