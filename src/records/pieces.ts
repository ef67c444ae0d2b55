import { Lru } from '../lru.js';
import type { Overflow } from './overflow.js';
import type { Whole } from './rendered.js';
import { Wanted } from './wanted.js';

/** Linked records as parts of events; `slug`: the event that had this slug when looked up. */
export type PieceKind = 'venue' | 'organizer' | 'term' | 'slug';
/** An event with everything that it shows, in a list or by itself. */
export type WholeKind = 'listed' | 'alone';

const MOST_BYTES = 12_000_000;
const MOST_PIECES = 40_000;
/** Shares of both limits: there are many more events, but linked records are needed more often. */
const LINKED = 0.55;
const EVENTS = 0.3;
const SLUGS = 0.15;
/** Events whose building is remembered, to tell which are built again and again. */
const MOST_ASKED = 20_000;
const MOST_ASKED_BYTES = 1_000_000;
/** How many addresses of the site are distinguished; links in responses depend on them. */
const MOST_PLACES = 64;

export interface Shelf<P> {
  get(id: number | string): P | undefined;
  /** `things`: what it depends on. */
  set(id: number | string, piece: P, bytes: number, things: readonly string[]): void;
}

/** What changed when (records/basis.ts). */
interface Judge {
  readonly now: number;
  judge(held: { things: readonly string[] }, since: number): 'right' | 'wrong' | 'doubtful';
}

interface Held {
  piece: unknown;
  things: readonly string[];
  /** When it was made, or last found valid, in the time of the ledger. */
  rightAt: number;
}

/** Parts of public responses, as bytes, each valid until something changes on which it depends. */
export class Pieces {
  private readonly linked = new Lru<string, Held>(MOST_BYTES * LINKED, MOST_PIECES * LINKED);
  private readonly events = new Lru<string, Held>(MOST_BYTES * EVENTS, MOST_PIECES * EVENTS);
  private readonly slugs = new Lru<string, Held>(MOST_BYTES * SLUGS, MOST_PIECES * SLUGS);
  private readonly built = new Wanted(MOST_ASKED_BYTES, MOST_ASKED);
  private readonly places = new Map<string, number>();
  /** Never reused: a request still working for an address dropped meanwhile must not fill the shelf of another one. */
  private numbers = 0;

  /** `overflow`: for events that memory has no room for; without it they are built anew. */
  constructor(
    private readonly ledger: Judge,
    private readonly overflow?: Overflow,
  ) {}

  /** The pieces of one kind, for one address. */
  of<P>(kind: PieceKind | WholeKind, place: string): Shelf<P> {
    const prefix = `${kind}/${this.numberOf(place)}/`;
    const held = this.heldOf(kind);
    const { ledger } = this;
    return {
      get: (id) => {
        const found = held.get(prefix + id);
        if (!found) return undefined;
        if (this.isRight(found)) return found.piece as P;
        held.delete(prefix + id);
        return undefined;
      },
      set: (id, piece, bytes, things) =>
        held.set(prefix + id, { piece, things, rightAt: ledger.now }, bytes + things.length * 20 + 200),
    };
  }

  /** Whole events; what is built a second time is written to the overflow, too. */
  wholes(kind: WholeKind, place: string): { get(id: number): Whole | undefined; set(id: number, whole: Whole): void } {
    const shelf = this.of<Whole>(kind, place);
    const prefix = `${kind}/${this.numberOf(place)}/`;
    return {
      get: (id) => shelf.get(id) ?? this.overflow?.get(prefix + id, (held) => this.isRight(held)),
      set: (id, whole) => {
        shelf.set(id, whole, whole.bytes.length, whole.things);
        if (this.overflow && this.built.isWanted(prefix + id)) this.overflow.set(prefix + id, whole, this.ledger.now);
      },
    };
  }

  private heldOf(kind: PieceKind | WholeKind): Lru<string, Held> {
    if (kind === 'slug') return this.slugs;
    return kind === 'listed' || kind === 'alone' ? this.events : this.linked;
  }

  private isRight(held: { things: readonly string[]; rightAt: number }): boolean {
    if (this.ledger.judge(held, held.rightAt) !== 'right') return false;
    held.rightAt = this.ledger.now;
    return true;
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
