import { fingerprint } from './fingerprint.js';

/** Twice as many as records of 4 kB in a full file: nearly all of those find a slot. */
const SLOTS = 65_536;
/** A record may stand in one of so many slots. */
const SLOTS_EACH = 8;
const SETS = SLOTS / SLOTS_EACH;

/** Where a record stands in the overflow file. */
export interface Place {
  /** Counted from the first byte ever written; the file holds only the last of them. */
  at: number;
  /** Of what stands before the record, and of everything. */
  headLength: number;
  length: number;
  rightAt: number;
}

/** Which record stands where, in 32 bytes each: as objects, they would take ten times as much. */
export class Places {
  private readonly keys = new Float64Array(SLOTS);
  private readonly ats = new Float64Array(SLOTS);
  private readonly rightAts = new Float64Array(SLOTS);
  private readonly headLengths = new Uint32Array(SLOTS);
  /** 0: the slot is free. */
  private readonly lengths = new Uint32Array(SLOTS);

  get(key: number): Place | undefined {
    const slot = this.slotOf(key);
    if (slot === undefined) return undefined;
    return {
      at: this.ats[slot] as number,
      headLength: this.headLengths[slot] as number,
      length: this.lengths[slot] as number,
      rightAt: this.rightAts[slot] as number,
    };
  }

  /** In a free slot, or in that of the record that was written first. */
  set(key: number, { at, headLength, length, rightAt }: Place): void {
    const slot = this.slotOf(key) ?? this.oldestFor(key);
    this.keys[slot] = key;
    this.ats[slot] = at;
    this.headLengths[slot] = headLength;
    this.lengths[slot] = length;
    this.rightAts[slot] = rightAt;
  }

  /** The record was found to be right at this time. */
  confirm(key: number, rightAt: number): void {
    const slot = this.slotOf(key);
    if (slot !== undefined) this.rightAts[slot] = rightAt;
  }

  delete(key: number): void {
    const slot = this.slotOf(key);
    if (slot !== undefined) this.lengths[slot] = 0;
  }

  clear(): void {
    this.lengths.fill(0);
  }

  private slotOf(key: number): number | undefined {
    const first = firstSlotFor(key);
    for (let slot = first; slot < first + SLOTS_EACH; slot++)
      if (this.keys[slot] === key && this.lengths[slot] !== 0) return slot;
    return undefined;
  }

  private oldestFor(key: number): number {
    const first = firstSlotFor(key);
    let oldest = first;
    for (let slot = first; slot < first + SLOTS_EACH; slot++) {
      if (this.lengths[slot] === 0) return slot;
      if ((this.ats[slot] as number) < (this.ats[oldest] as number)) oldest = slot;
    }
    return oldest;
  }
}

const firstSlotFor = (key: number): number => (fingerprint(key) % SETS) * SLOTS_EACH;
