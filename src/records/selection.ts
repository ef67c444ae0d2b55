import type { Change, Current, Keeper } from '../db/changes.js';
import type { Db } from '../db/database.js';
import { Lru } from '../lru.js';
import { beginOfUtcDay, DAY, utcDayOf } from '../time/clock.js';
import type { Bounds } from '../time/window.js';
import { Latest } from './latest.js';
import { Sequence } from './sequence.js';
import type { Placed } from './stretch.js';
import { Wanted } from './wanted.js';

/** The events that begin on one day, in any order: `id:start:end:date`, separated by commas. */
export interface DayRow {
  day: number;
  events: string;
}

const COMMA = 44;
const COLON = 58;
const MINUS = 45;
const ZERO = 48;

/** The numbers in a text, separated by colons or commas. Written for speed: the texts are long, and there are many. */
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
 * The events that a request selects regardless of dates, in order, so that any page, however deep, and the total of any
 * window cost the same whether ten or a million match. After a write only the changed events are moved.
 */
export class Selection {
  private readonly events = new Sequence();
  /** Where changes are recorded; those numbered `known` and above are not applied yet. */
  private latest = new Latest();
  private known = 0;
  private places = 0;

  /** `again`: which of the changed events are selected now. `byPlace`: the selection depends on venues. */
  constructor(
    readonly again: (db: Db, changed: number[]) => Promise<Placed[]>,
    private readonly byPlace: boolean,
  ) {}

  /** From now on, the changes recorded there are to be applied. */
  follow(latest: Latest): void {
    this.latest = latest;
    this.known = latest.next;
    this.places = latest.places;
  }

  /** Adds days, in order, that come after those present. Returns the number of events added. */
  add(rows: readonly DayRow[]): number {
    const before = this.events.size;
    const numbers: number[] = [];
    for (const { events } of rows) for (const one of numbersIn(events)) numbers.push(one);
    if (numbers.length > 0) this.events.append(numbers);
    return this.events.size - before;
  }

  /** Approximate: it ignores sorted ends, which few stretches have. */
  get bytes(): number {
    return this.events.bytes + 1000;
  }

  /** A page of the events in a window, and how many the window has in all. */
  within(bounds: Bounds, offset: number, limit: number): { ids: number[]; total: number } {
    return this.events.within(bounds, offset, limit);
  }

  /** False if so much has changed that building it anew is quicker than applying the changes. */
  get canFollow(): boolean {
    if (this.byPlace && this.places !== this.latest.places) return false;
    const missing = this.latest.countSince(this.known);
    return missing !== undefined && missing <= Math.max(LEAST_FOLLOWED, this.events.size / 20);
  }

  get isStale(): boolean {
    return this.known < this.latest.next;
  }

  /** Brings it up to date; false if the data has changed again meanwhile. */
  async catchUp(db: Db, current: Current): Promise<boolean> {
    if (!this.isStale) return true;
    const changed = this.latest.since(this.known);
    const found = await this.again(db, [...new Set(changed.map(({ id }) => id))]);
    if (!current.holds()) return false;
    this.refresh(found);
    return true;
  }

  /** Removes the changed events and inserts those that are selected now. */
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
/** If more are wanted than fit, each evicts one soon rebuilt: building pauses this many times as long as one took. */
const RESTS_FACTOR = 4;
const MOST_SELECTIONS = 2000;
/** For remembering what was requested once. */
const PLACES_OF_ASKED = 32_768;
const LEAST_FOLLOWED = 5000;
/** How many are updated with a write: each costs a query. */
const MOST_BROUGHT_ALONG = 100;
/** Their queries are sent together: not too many, since each one's time is limited. */
const FOLLOWED_TOGETHER = 8;

/** The selections requested lately. */
export class Selections implements Keeper {
  private readonly known: Lru<string, Selection>;
  private readonly making = new Map<string, { selection: Selection; made: Promise<void> }>();
  private readonly wanted = new Wanted(PLACES_OF_ASKED);
  private readonly latest = new Latest();
  /** Keys of selections requested since selections were last brought up to date, up to a limit; and before that. */
  private inUse = new Set<string>();
  private inUseBefore = new Set<string>();
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

  /** Brings those up to date that were requested since the last time but one: they will probably be requested again. */
  async catchUp(db: Db, current: Current): Promise<void> {
    const wanted = [...new Set([...this.inUse, ...this.inUseBefore])];
    this.inUseBefore = this.inUse;
    this.inUse = new Set();
    const follow = async (key: string): Promise<void> => {
      const selection = this.known.get(key);
      if (selection?.canFollow) await this.follow(key, selection, db, current);
    };
    while (wanted.length > 0 && current.holds()) await Promise.all(wanted.splice(0, FOLLOWED_TOGETHER).map(follow));
  }

  /** Brings one up to date and records its new size; false if the data has changed again meanwhile. */
  async follow(key: string, selection: Selection, db: Db, current: Current): Promise<boolean> {
    if (!selection.isStale) return true;
    if (!(await selection.catchUp(db, current))) return false;
    if (this.known.get(key) === selection) this.keep(key, selection);
    return true;
  }

  /**
   * Whether one is worth building: the same request came before (this one is recorded), and building is not paused.
   * `atOnce`: it is built at the first request, unless it was found to be too large.
   */
  isWanted(key: string, atOnce: boolean): boolean {
    if (!atOnce) return this.wanted.isWanted(key) && performance.now() >= this.restsUntil;
    return !this.wanted.isGivenUp(key);
  }

  /** If this one is being built: a promise that resolves when it is done. */
  beingMade(key: string): Promise<void> | undefined {
    return this.making.get(key)?.made;
  }

  /** May take long. Changes made meanwhile are recorded for it as if it existed already. */
  async make(key: string, selection: Selection, fill: () => Promise<void>): Promise<void> {
    // `fill` starts only after this selection follows the changes, so that none is missed.
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
    // Too large to hold, so it was built in vain: from now on the database answers this request.
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
    this.inUseBefore.clear();
  }
}
