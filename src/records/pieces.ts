import { Lru } from '../lru.js';
import type { Overflow } from './overflow.js';
import type { Whole } from './rendered.js';
import { Wanted } from './wanted.js';

/**
 * The own members of an event; linked records as parts of events; `slug`: the event that had this slug when looked up.
 */
export type PieceKind = 'event' | 'venue' | 'organizer' | 'term' | 'slug';
/** A record as lists of its own kind show it. */
export type RecordKind = 'venue record' | 'organizer record' | 'term record';
/** An event with everything that it shows, in a list or by itself. */
export type WholeKind = 'listed' | 'alone';

const MOST_BYTES = 12_000_000;
const MOST_PIECES = 40_000;
/** Shares of both limits: there are many more events, but linked records are needed more often. */
const LINKED = 0.55;
const EVENTS = 0.3;
const SLUGS = 0.15;
/** For remembering which records were built: four times as many as the overflow has slots. */
const PLACES_OF_BUILT = 262_144;
/** How many addresses of the site are distinguished; links in responses depend on them. */
const MOST_PLACES = 64;

export interface Shelf<P> {
  get(id: number | string): P | undefined;
  /** `things`: what it depends on. */
  set(id: number | string, piece: P, bytes: number, things: readonly string[]): void;
  /** Whether memory has it, right or not. */
  isHeld(id: number | string): boolean;
}

interface Wholes extends Pick<Shelf<Whole>, 'isHeld'> {
  get(id: number): Whole | undefined;
  /** Those of them that are cached. */
  all(ids: readonly number[]): Map<number, Whole>;
  set(id: number, whole: Whole): void;
}

/** What changed when (records/basis.ts). */
interface Judge {
  readonly now: number;
  judge(held: { things: readonly string[] }, since: number): 'right' | 'wrong' | 'doubtful';
}

type Key = number | string;

interface Held {
  piece: unknown;
  things: readonly string[];
  /** When it was made, or last found valid, in the time of the ledger. */
  rightAt: number;
}

const KINDS: readonly (PieceKind | RecordKind | WholeKind)[] = [
  ...(['event', 'venue', 'organizer', 'term', 'slug'] as const),
  ...(['venue record', 'organizer record', 'term record', 'listed', 'alone'] as const),
];
/** Ids below this are added to the number of their kind and place: numbers are found faster than texts are made. */
const IDS = 2 ** 32;

/** Parts of public responses, as bytes, each valid until something changes on which it depends. */
export class Pieces {
  private readonly linked = new Lru<Key, Held>(MOST_BYTES * LINKED, MOST_PIECES * LINKED);
  private readonly events = new Lru<Key, Held>(MOST_BYTES * EVENTS, MOST_PIECES * EVENTS);
  private readonly slugs = new Lru<Key, Held>(MOST_BYTES * SLUGS, MOST_PIECES * SLUGS);
  private readonly built = new Wanted<Key>(PLACES_OF_BUILT);
  private readonly places = new Map<string, number>();
  /** Never reused: a request still working for an address dropped meanwhile must not fill the shelf of another one. */
  private numbers = 0;

  /** `overflow`: for records that memory has no room for; without it they are built anew. */
  constructor(
    private readonly ledger: Judge,
    private readonly overflow?: Overflow,
  ) {}

  /** The pieces of one kind, for one address. */
  of<P>(kind: PieceKind | RecordKind | WholeKind, place: string): Shelf<P> {
    const keyOf = this.keysOf(kind, place);
    const held = this.heldOf(kind);
    const { ledger } = this;
    return {
      get: (id) => {
        const found = held.get(keyOf(id));
        return found && this.isRight(found) ? (found.piece as P) : undefined;
      },
      set: (id, piece, bytes, things) =>
        held.set(keyOf(id), { piece, things, rightAt: ledger.now }, bytes + things.length * 20 + 200),
      isHeld: (id) => held.get(keyOf(id)) !== undefined,
    };
  }

  /** Whole records; what memory has lost when it is built again is written to the overflow. */
  wholes(kind: WholeKind | RecordKind, place: string): Wholes {
    const shelf = this.of<Whole>(kind, place);
    const keyOf = this.keysOf(kind, place);
    const isRight = (held: { things: readonly string[]; rightAt: number }): boolean => this.isRight(held);
    return {
      get: (id) => shelf.get(id) ?? this.overflow?.get(keyOf(id), isRight),
      all: (ids) => {
        const found = new Map<number, Whole>();
        const missing: number[] = [];
        for (const id of ids) {
          const known = shelf.get(id);
          if (known) found.set(id, known);
          else missing.push(id);
        }
        if (!this.overflow || missing.length === 0) return found;
        const others = this.overflow.all(missing.map(keyOf), isRight);
        others.forEach((whole, n) => {
          if (whole) found.set(missing[n] as number, whole);
        });
        return found;
      },
      set: (id, whole) => {
        const isLost = !shelf.isHeld(id) && this.overflow && this.built.isWanted(keyOf(id));
        shelf.set(id, whole, whole.bytes.length, whole.things);
        if (isLost) this.overflow?.set(keyOf(id), whole, this.ledger.now);
      },
      isHeld: shelf.isHeld,
    };
  }

  private heldOf(kind: PieceKind | RecordKind | WholeKind): Lru<Key, Held> {
    if (kind === 'slug') return this.slugs;
    return kind === 'listed' || kind === 'alone' || kind === 'event' ? this.events : this.linked;
  }

  private isRight(held: { things: readonly string[]; rightAt: number }): boolean {
    if (this.ledger.judge(held, held.rightAt) !== 'right') return false;
    held.rightAt = this.ledger.now;
    return true;
  }

  private keysOf(kind: PieceKind | RecordKind | WholeKind, place: string): (id: number | string) => Key {
    const number = (this.numberOf(place) * KINDS.length + KINDS.indexOf(kind)) * IDS;
    const isExact = Number.isSafeInteger(number + IDS);
    return (id) => (isExact && typeof id === 'number' && id < IDS ? number + id : `${number} ${id}`);
  }

  private numberOf(place: string): number {
    let number = this.places.get(place);
    if (number === undefined) {
      if (this.places.size >= MOST_PLACES) this.clear();
      number = this.numbers++;
      this.places.set(place, number);
    }
    return number;
  }

  private clear(): void {
    this.linked.clear();
    this.events.clear();
    this.slugs.clear();
    this.overflow?.clear();
    this.places.clear();
  }
}
