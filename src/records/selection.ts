import type { Change, Current, Keeper } from '../db/changes.js';
import type { Db } from '../db/database.js';
import { Lru } from '../lru.js';
import { beginOfUtcDay, DAY, utcDayOf } from '../time/clock.js';
import { Wanted } from './wanted.js';

export interface Placed {
  id: number;
  start_utc: number;
  end_utc: number;
  date_utc: number;
}
/** The events that begin on one day, in whatever order: `id:start:end:date`, with commas between. */
export interface DayRow {
  day: number;
  events: string;
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
  /** Seconds since the day began. */
  starts: Numbers;
  ends: Numbers;
  /** Of publication: what begins at the same time is in that order. */
  dates: Numbers;
  firstEnd: number;
  lastEnd: number;
  /** The ends in order, made when somebody asks how many lie between two moments. */
  sortedEnds?: Numbers;
}

type Numbers = Uint32Array | Float64Array;

/** Half as large where all are small, as nearly all are. */
const room = (isSmall: boolean, size: number): Numbers => (isSmall ? new Uint32Array(size) : new Float64Array(size));
const isSmall = (numbers: Numbers | undefined): boolean => !(numbers instanceof Float64Array);
const fits = (rows: readonly Placed[], name: keyof Placed, base: number): boolean =>
  rows.every((row) => row[name] >= base && row[name] - base < 2 ** 32);

/** How many of the numbers, which are in order, are less than this one. */
function countBelow(numbers: ArrayLike<number>, bound: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] as number) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many events of a day end between two moments, both included. Moments are whole seconds. */
function endingWithin(day: Day, begin: number, from: number, until: number): number {
  if (day.firstEnd >= from && day.lastEnd <= until) return day.ids.length;
  day.sortedEnds ??= day.ends.slice().sort();
  return Math.max(0, countBelow(day.sortedEnds, until - begin + 1) - countBelow(day.sortedEnds, from - begin));
}

const NONE: ReadonlySet<number> = new Set();

/** A day with other events in it, and without some; undefined when none is left. What is in order stays as it is. */
function merged(day: Day | undefined, begin: number, added: Placed[], without = NONE): Day | undefined {
  added.sort(inOrder);
  const most = (day?.ids.length ?? 0) + added.length;
  const ids = new Uint32Array(most);
  const starts = room(isSmall(day?.starts) && fits(added, 'start_utc', begin), most);
  const ends = room(isSmall(day?.ends) && fits(added, 'end_utc', begin), most);
  const dates = room(isSmall(day?.dates) && fits(added, 'date_utc', 0), most);
  let size = 0;
  let [firstEnd, lastEnd] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const put = (id: number, start: number, end: number, date: number): void => {
    ids[size] = id;
    starts[size] = start;
    ends[size] = end;
    dates[size++] = date;
    firstEnd = Math.min(firstEnd, begin + end);
    lastEnd = Math.max(lastEnd, begin + end);
  };
  let next = 0;
  const putAdded = (isDue: (row: Placed) => boolean): void => {
    for (let row = added[next]; row && isDue(row); row = added[++next])
      put(row.id, row.start_utc - begin, row.end_utc - begin, row.date_utc);
  };
  for (let n = 0; n < (day?.ids.length ?? 0); n++) {
    const known = day as Day;
    const id = known.ids[n] as number;
    if (without.has(id)) continue;
    const [start, date] = [known.starts[n] as number, known.dates[n] as number];
    putAdded((row) => (row.start_utc - begin - start || row.date_utc - date || row.id - id) < 0);
    put(id, start, known.ends[n] as number, date);
  }
  putAdded(() => true);
  if (size === 0) return undefined;
  const cut = <N extends Numbers>(numbers: N): N => (size < most ? (numbers.slice(0, size) as N) : numbers);
  return { ids: cut(ids), starts: cut(starts), ends: cut(ends), dates: cut(dates), firstEnd, lastEnd };
}

const inOrder = (a: Placed, b: Placed): number => a.start_utc - b.start_utc || a.date_utc - b.date_utc || a.id - b.id;

function placed(text: string): Placed {
  const [id, start, end, date] = text.split(':');
  return { id: Number(id), start_utc: Number(start), end_utc: Number(end), date_utc: Number(date) };
}

/**
 * The events that a question selects whatever the dates, day by day in their order: so that a page, however deep, and
 * the total of any window cost the same whether ten or a million match. After a write only the days it touched are put
 * in order again.
 */
export class Selection {
  /** Days that have any, in their order, and what they have. */
  private readonly days: number[] = [];
  private readonly filled: Day[] = [];
  private readonly changed = new Set<number>();
  private readonly touched = new Set<number>();
  /** Asked for since it was last brought up to date. */
  isInUse = false;
  /** Events that it had when it was made. */
  private many = 0;

  /** `again`: of events that changed, those that are selected now. `byPlace`: venues have a say in it. */
  constructor(
    readonly again: (db: Db, changed: number[]) => Promise<Placed[]>,
    readonly byPlace: boolean,
  ) {}

  /** Days that come after those that are there. How many events they have. */
  add(rows: readonly DayRow[]): number {
    const before = this.many;
    for (const { day, events } of [...rows].sort((a, b) => a.day - b.day)) {
      const made = merged(undefined, beginOfUtcDay(day), events.split(',').map(placed));
      if (!made) continue;
      this.days.push(day);
      this.filled.push(made);
      this.many += made.ids.length;
    }
    return this.many - before;
  }

  /** What it took when it was made, about; few days have their ends in order, too. */
  get bytes(): number {
    return this.many * 16 + this.days.length * 500 + 500;
  }

  /** Some of the events in a window, and how many there are in all. */
  within(bounds: Bounds, offset: number, limit: number): { ids: number[]; total: number } {
    const { startFrom = -Infinity, startUntil = Infinity, endFrom = -Infinity, endUntil = Infinity } = bounds;
    const ids: number[] = [];
    let total = 0;
    const from = startFrom === -Infinity ? 0 : countBelow(this.days, utcDayOf(startFrom));
    for (let at = from; at < this.days.length; at++) {
      const begin = beginOfUtcDay(this.days[at] as number);
      // Nobody ends before it begins.
      if (begin > startUntil || begin > endUntil) break;
      const day = this.filled[at] as Day;
      if (day.lastEnd < endFrom) continue;
      // Of a day whose events all begin in time, only those of the page are looked at one by one.
      if (begin >= startFrom && begin + DAY - 1 <= startUntil) {
        const many = endingWithin(day, begin, endFrom, endUntil);
        if (total + many <= offset || total >= offset + limit) {
          total += many;
          continue;
        }
      }
      for (let n = 0; n < day.ids.length; n++) {
        const [start, end] = [begin + (day.starts[n] as number), begin + (day.ends[n] as number)];
        if (start < startFrom || start > startUntil || end < endFrom || end > endUntil) continue;
        if (total >= offset && ids.length < limit) ids.push(day.ids[n] as number);
        total++;
      }
    }
    return { ids, total };
  }

  /** False when so much has changed that making it anew is quicker than following. */
  follow({ id, day_before, day_after }: Change): boolean {
    this.changed.add(id);
    for (const day of [day_before, day_after]) if (day !== null) this.touched.add(day);
    return this.changed.size <= Math.max(LEAST_FOLLOWED, this.many / 20);
  }

  get isStale(): boolean {
    return this.changed.size > 0;
  }

  /** Brings it up to date; false when the data has moved on meanwhile. */
  async catchUp(db: Db, current: Current): Promise<boolean> {
    if (!this.isStale) return true;
    const found = await this.again(db, [...this.changed]);
    if (!current.holds()) return false;
    this.refresh(found);
    return true;
  }

  /** Puts those of the changed events that are selected now in their places. */
  refresh(found: Placed[]): void {
    const added = new Map<number, Placed[]>([...this.touched].map((day) => [day, []]));
    for (const row of found) added.get(utcDayOf(row.start_utc))?.push(row);
    for (const [day, rows] of added) {
      const at = countBelow(this.days, day);
      const known = this.days[at] === day ? this.filled[at] : undefined;
      const made = merged(known, beginOfUtcDay(day), rows, this.changed);
      const [days, filled] = made ? [[day], [made]] : [[], []];
      this.days.splice(at, known ? 1 : 0, ...days);
      this.filled.splice(at, known ? 1 : 0, ...filled);
    }
    this.changed.clear();
    this.touched.clear();
  }
}

/** Thrown out of a view of the data: it is not worth while to go on, but to come again when this is kept. */
export class BeingMade extends Error {
  constructor(readonly made: Promise<void>) {
    super('A selection is being made');
  }
}

const MOST_BYTES = 64_000_000;
/** Where there are more than fit, each would drive out another that is made again at once: most of the time is others'. */
const RESTS_FACTOR = 4;
const MOST_SELECTIONS = 2000;
const LEAST_FOLLOWED = 5000;

/** The selections that were asked for lately. */
export class Selections implements Keeper {
  private readonly known = new Lru<string, Selection>(MOST_BYTES, MOST_SELECTIONS);
  private readonly making = new Map<string, { selection: Selection; made: Promise<void> }>();
  private readonly wanted = new Wanted(1_000_000, 10_000);
  private restsUntil = 0;

  get(key: string): Selection | undefined {
    const known = this.known.get(key);
    if (known) known.isInUse = true;
    return known;
  }

  /** Brings those up to date that were asked for since it was last done: they will be asked for again. */
  async catchUp(db: Db, current: Current): Promise<void> {
    const wanted = [...this.known.entries()].flatMap(([, one]) => (one.isInUse && one.isStale ? [one] : []));
    for (const selection of wanted) {
      selection.isInUse = false;
      if (!(await selection.catchUp(db, current))) return;
    }
  }

  /**
   * Whether it is worth while to make one: the question comes again, and there is room. It is noted. `atOnce`: whoever
   * asks first waits for it already.
   */
  isWanted(key: string, atOnce: boolean): boolean {
    if (!atOnce) return this.wanted.isWanted(key) && performance.now() >= this.restsUntil;
    return !this.wanted.isGivenUp(key);
  }

  /** When somebody makes this one: that it is made. */
  beingMade(key: string): Promise<void> | undefined {
    return this.making.get(key)?.made;
  }

  /** Takes its time; what changes meanwhile is followed as if it were made already. */
  async make(key: string, selection: Selection, fill: () => Promise<void>): Promise<void> {
    // It begins when it is noted, so that nothing passes unseen.
    const began = performance.now();
    const made = Promise.resolve().then(fill);
    this.making.set(key, { selection, made: made.catch(() => {}) });
    try {
      await made;
      if (this.known.bytes + selection.bytes > MOST_BYTES) {
        this.restsUntil = performance.now() + (performance.now() - began) * RESTS_FACTOR;
      }
      if (this.making.get(key)?.selection === selection) this.keep(key, selection);
    } finally {
      if (this.making.get(key)?.selection === selection) this.making.delete(key);
    }
  }

  private keep(key: string, selection: Selection): void {
    const bytes = selection.bytes + key.length;
    // Made in vain: the next question is better answered by the index.
    if (this.known.isTooLarge(bytes)) this.wanted.giveUp(key);
    else this.known.set(key, selection, bytes);
  }

  forget(changes: readonly Change[]): void {
    const events = changes.filter(({ kind }) => kind === 'event');
    const places = changes.some(({ kind }) => kind === 'venue');
    const holds = (selection: Selection): boolean =>
      !(places && selection.byPlace) && events.every((change) => selection.follow(change));
    for (const [key, selection] of this.known.entries()) if (!holds(selection)) this.known.delete(key);
    for (const [key, { selection }] of this.making) if (!holds(selection)) this.making.delete(key);
  }

  clear(): void {
    this.known.clear();
    this.making.clear();
  }
}
