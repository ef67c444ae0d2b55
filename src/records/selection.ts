import type { Change, Current, Keeper } from '../db/changes.js';
import type { Db } from '../db/database.js';
import { Lru } from '../lru.js';
import { beginOfUtcDay, DAY, utcDayOf } from '../time/clock.js';
import { Latest } from './latest.js';
import { type Bounds, Sequence } from './sequence.js';
import type { Placed } from './stretch.js';
import { Wanted } from './wanted.js';

/** The events that begin on one day, in whatever order: `id:start:end:date`, with commas between. */
export interface DayRow {
  day: number;
  events: string;
}

const COMMA = 44;
const COLON = 58;
const MINUS = 45;
const ZERO = 48;

/** The numbers in a text, with colons or commas between. Texts are long, and there are many. */
function numbersIn(text: string): number[] {
  const numbers: number[] = [];
  let [number, sign] = [0, 1];
  for (let n = 0; n < text.length; n++) {
    const letter = text.charCodeAt(n);
    if (letter === MINUS) sign = -1;
    else if (letter !== COLON && letter !== COMMA) number = number * 10 + letter - ZERO;
    else {
      numbers.push(sign * number);
      [number, sign] = [0, 1];
    }
  }
  numbers.push(sign * number);
  return numbers;
}

/**
 * The events that a question selects whatever the dates, in their order: so that a page, however deep, and the total of
 * any window cost the same whether ten or a million match. After a write only what it changed is put in its place.
 */
export class Selection {
  private readonly events = new Sequence();
  /** Where changes are noted; those from this number on are not in it yet. */
  private latest = new Latest();
  private known = 0;
  private places = 0;

  /** `again`: of events that changed, those that are selected now. `byPlace`: venues have a say in it. */
  constructor(
    readonly again: (db: Db, changed: number[]) => Promise<Placed[]>,
    private readonly byPlace: boolean,
  ) {}

  /** From now on what is noted there is followed. */
  follow(latest: Latest): void {
    this.latest = latest;
    this.known = latest.next;
    this.places = latest.places;
  }

  /** Days in order, that come after those that are there. How many events they have. */
  add(rows: readonly DayRow[]): number {
    const before = this.events.size;
    const numbers: number[] = [];
    for (const { events } of rows) for (const one of numbersIn(events)) numbers.push(one);
    if (numbers.length > 0) this.events.append(numbers);
    return this.events.size - before;
  }

  /** About what it takes; few parts of it have their ends in order, too. */
  get bytes(): number {
    return this.events.bytes + 1000;
  }

  /** Some of the events in a window, and how many there are in all. */
  within(bounds: Bounds, offset: number, limit: number): { ids: number[]; total: number } {
    return this.events.within(bounds, offset, limit);
  }

  /** False when so much has changed that making it anew is quicker than following. */
  get canFollow(): boolean {
    if (this.byPlace && this.places !== this.latest.places) return false;
    const missing = this.latest.countSince(this.known);
    return missing !== undefined && missing <= Math.max(LEAST_FOLLOWED, this.events.size / 20);
  }

  get isStale(): boolean {
    return this.known < this.latest.next;
  }

  /** Brings it up to date; false when the data has moved on meanwhile. */
  async catchUp(db: Db, current: Current): Promise<boolean> {
    if (!this.isStale) return true;
    const changed = this.latest.since(this.known);
    const found = await this.again(db, [...new Set(changed.map(({ id }) => id))]);
    if (!current.holds()) return false;
    this.refresh(found);
    return true;
  }

  /** Puts those of the changed events that are selected now in their places. */
  refresh(found: Placed[]): void {
    const changes = this.latest.since(this.known);
    const changed = new Set(changes.map(({ id }) => id));
    const days = new Set(changes.flatMap(({ day_before, day_after }) => [day_before, day_after]));
    for (const day of days) {
      if (day === null) continue;
      const begin = beginOfUtcDay(day);
      this.events.remove(changed, begin, begin + DAY - 1);
    }
    for (const row of found) if (days.has(utcDayOf(row.start_utc))) this.events.insert(row);
    this.known = this.latest.next;
  }
}

const MOST_BYTES = 64_000_000;
/** Where there are more than fit, each would drive out another that is made again at once: most of the time is others'. */
const RESTS_FACTOR = 4;
const MOST_SELECTIONS = 2000;
const LEAST_FOLLOWED = 5000;
/** With a write: each is a question of its own. */
const MOST_BROUGHT_ALONG = 100;

/** The selections that were asked for lately. */
export class Selections implements Keeper {
  private readonly known: Lru<string, Selection>;
  private readonly making = new Map<string, { selection: Selection; made: Promise<void> }>();
  private readonly wanted = new Wanted(1_000_000, 10_000);
  private readonly latest = new Latest();
  /** Keys of some that were asked for since they were last brought up to date. */
  private readonly inUse = new Set<string>();
  private restsUntil = 0;

  constructor(private readonly mostBytes = MOST_BYTES) {
    this.known = new Lru(mostBytes, MOST_SELECTIONS);
  }

  get(key: string): Selection | undefined {
    const known = this.known.get(key);
    if (known?.canFollow) {
      if (this.inUse.size < MOST_BROUGHT_ALONG) this.inUse.add(key);
      return known;
    }
    this.known.delete(key);
    return undefined;
  }

  /** Brings those up to date that were asked for since it was last done: they will be asked for again. */
  async catchUp(db: Db, current: Current): Promise<void> {
    const wanted = [...this.inUse];
    this.inUse.clear();
    for (const key of wanted) {
      const selection = this.known.get(key);
      if (selection?.canFollow && !(await this.follow(key, selection, db, current))) return;
    }
  }

  /** Brings one up to date, and notes what it takes now; false when the data has moved on meanwhile. */
  async follow(key: string, selection: Selection, db: Db, current: Current): Promise<boolean> {
    if (!selection.isStale) return true;
    if (!(await selection.catchUp(db, current))) return false;
    if (this.known.get(key) === selection) this.keep(key, selection);
    return true;
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
    selection.follow(this.latest);
    const made = Promise.resolve().then(fill);
    this.making.set(key, { selection, made });
    try {
      await made;
      if (this.known.bytes + selection.bytes > this.mostBytes) {
        this.restsUntil = performance.now() + (performance.now() - began) * RESTS_FACTOR;
      }
      if (this.making.get(key)?.selection === selection && selection.canFollow) this.keep(key, selection);
    } finally {
      if (this.making.get(key)?.selection === selection) this.making.delete(key);
    }
  }

  private keep(key: string, selection: Selection): void {
    const bytes = selection.bytes + key.length;
    // Made in vain: the next question is better answered by the index.
    if (this.known.isTooLarge(bytes)) this.wanted.giveUp(key);
    this.known.set(key, selection, bytes);
  }

  forget(changes: readonly Change[]): void {
    this.latest.note(changes);
  }

  clear(): void {
    this.known.clear();
    this.making.clear();
    this.inUse.clear();
  }
}
