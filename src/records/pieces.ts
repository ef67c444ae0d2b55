import type { Change, Keeper } from '../db/changes.js';
import { Lru } from '../lru.js';

/** `listed`: an event as lists show it, with linked records. `slug`: the event that had this slug when looked up. */
export type PieceKind = 'event' | 'venue' | 'organizer' | 'term' | 'listed' | 'slug';

const MOST_BYTES = 12_000_000;
const MOST_PIECES = 40_000;
/** The share of linked records in both limits: there are many more events, but linked records are needed more often. */
const LINKED = 0.5;
/** How many addresses of the site are distinguished; links in responses depend on them. */
const MOST_PLACES = 64;

export interface Shelf<P> {
  get(id: number | string): P | undefined;
  set(id: number | string, piece: P, bytes: number): void;
}

/** Parts of public responses, as bytes, held until the record changes. */
export class Pieces implements Keeper {
  private readonly linked = new Lru<string, unknown>(MOST_BYTES * LINKED, MOST_PIECES * LINKED);
  private readonly events = new Lru<string, unknown>(MOST_BYTES * (1 - LINKED), MOST_PIECES * (1 - LINKED));
  private readonly places = new Map<string, number>();
  /** Never reused: a request still working for an address dropped meanwhile must not fill the shelf of another one. */
  private numbers = 0;
  /** Which events show a venue, organizer or term is not known here: when one changes, all listed events expire. */
  private listedShelf = 0;

  /** The pieces of one kind, for one address. */
  of<P>(kind: PieceKind, place: string): Shelf<P> {
    let number = this.places.get(place);
    if (number === undefined) {
      if (this.places.size >= MOST_PLACES) this.clear();
      number = this.numbers++;
      this.places.set(place, number);
    }
    const prefix = kind === 'listed' ? this.listedAt(number) : `${kind}/${number}/`;
    const known = kind === 'event' || kind === 'listed' || kind === 'slug' ? this.events : this.linked;
    return {
      get: (id) => known.get(prefix + id) as P | undefined,
      set: (id, piece, bytes) => known.set(prefix + id, piece, bytes + 200),
    };
  }

  private listedAt(place: number): string {
    return `listed ${this.listedShelf}/${place}/`;
  }

  forget(changes: readonly Change[]): void {
    if (changes.some(({ kind }) => kind !== 'event')) this.listedShelf++;
    for (const { kind, id } of changes) {
      // Which records show a picture is not known here.
      if (kind === 'image') {
        this.forgetAll();
        return;
      }
      for (const place of this.places.values()) {
        if (kind !== 'event') this.linked.delete(`${kind}/${place}/${id}`);
        else for (const prefix of [`event/${place}/`, this.listedAt(place)]) this.events.delete(prefix + id);
      }
    }
  }

  private forgetAll(): void {
    this.linked.clear();
    this.events.clear();
  }

  clear(): void {
    this.forgetAll();
    this.places.clear();
  }
}
