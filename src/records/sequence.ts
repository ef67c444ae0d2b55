import type { Bounds } from '../time/window.js';
import {
  compared,
  countBefore,
  END,
  endingWithin,
  ID,
  numbersOf,
  type Placed,
  START,
  type Stretch,
  sizeOf,
  sorted,
  stretchOf,
  WIDTH,
  withEvent,
  without,
} from './stretch.js';

const MOST_IN_STRETCH = 512;
const STRETCH_BYTES = 400;

/** A summary of consecutive stretches: most of a long window is counted without looking at each stretch. */
interface Run extends Pick<Stretch, 'lastStart' | 'firstEnd' | 'lastEnd'> {
  many: number;
}
const STRETCHES_IN_RUN = 32;

function runOf(stretches: readonly Stretch[]): Run {
  const [first, last] = [stretches[0] as Stretch, stretches.at(-1) as Stretch];
  const run = {
    lastStart: last.lastStart,
    firstEnd: first.firstEnd,
    lastEnd: first.lastEnd,
    many: 0,
  };
  for (const stretch of stretches) {
    run.many += sizeOf(stretch);
    run.firstEnd = Math.min(run.firstEnd, stretch.firstEnd);
    run.lastEnd = Math.max(run.lastEnd, stretch.lastEnd);
  }
  return run;
}

/** Events ordered by start. Any page, however deep, and the total of any window are found without a full scan. */
export class Sequence {
  private readonly stretches: Stretch[] = [];
  /** Undefined: must be built again. */
  private runs: Run[] | undefined;
  private many = 0;

  /** `most`: events per stretch, twice as many at most after insertions. `inRun`: stretches per run. */
  constructor(
    private readonly most = MOST_IN_STRETCH,
    private readonly inRun = STRETCHES_IN_RUN,
  ) {}

  get size(): number {
    return this.many;
  }

  /** Approximate: the few stretches that hold large numbers take more. */
  get bytes(): number {
    return this.many * WIDTH * Uint32Array.BYTES_PER_ELEMENT + this.stretches.length * STRETCH_BYTES;
  }

  /** Adds events that come after all those present: id, start, end and date of each. */
  append(numbers: number[]): void {
    this.runs = undefined;
    const last = this.stretches.at(-1);
    const isFull = !last || sizeOf(last) >= this.most;
    if (!isFull) this.stretches.pop();
    const all = isFull ? sorted(numbers) : [...numbersOf(last), ...sorted(numbers)];
    this.stretches.push(...this.cut(all));
    this.many += numbers.length / WIDTH;
  }

  /** Cuts into stretches of about equal size. */
  private cut(numbers: number[]): Stretch[] {
    const many = numbers.length / WIDTH;
    const each = Math.ceil(many / Math.ceil(many / this.most)) * WIDTH;
    const made: Stretch[] = [];
    for (let from = 0; from < numbers.length; from += each) made.push(stretchOf(numbers.slice(from, from + each)));
    return made;
  }

  /** The index of the first stretch that is not before what is looked for. */
  private firstNot(isBefore: (stretch: Stretch) => boolean): number {
    return countBefore(this.stretches.length, (n) => isBefore(this.stretches[n] as Stretch));
  }

  private firstFrom(moment: number): number {
    return this.firstNot(({ lastStart }) => lastStart < moment);
  }

  /** Removes those of the events that begin between two moments, both inclusive. */
  remove(ids: ReadonlySet<number>, from: number, until: number): void {
    for (let n = this.firstFrom(from); n < this.stretches.length; n++) {
      const stretch = this.stretches[n] as Stretch;
      if (stretch.base > until) return;
      const left = without(stretch, ids);
      if (left === stretch) continue;
      this.runs = undefined;
      this.many -= sizeOf(stretch) - (left ? sizeOf(left) : 0);
      if (left) this.stretches[n] = left;
      else this.stretches.splice(n--, 1);
    }
  }

  insert(event: Placed): void {
    const { id, start_utc, end_utc, date_utc } = event;
    const endsBefore = ({ cells, base }: Stretch): boolean =>
      compared(cells, cells.length / WIDTH - 1, [id, start_utc - base, 0, date_utc], 0) < 0;
    const n = Math.min(this.firstNot(endsBefore), this.stretches.length - 1);
    const stretch = this.stretches[n];
    if (!stretch) {
      this.append([id, start_utc, end_utc, date_utc]);
      return;
    }
    const made = withEvent(stretch, event);
    const isLong = sizeOf(made) > this.most * 2;
    this.runs = undefined;
    this.stretches.splice(n, 1, ...(isLong ? this.cut(numbersOf(made)) : [made]));
    this.many++;
  }

  private allRuns(): Run[] {
    const made: Run[] = [];
    for (let from = 0; from < this.stretches.length; from += this.inRun)
      made.push(runOf(this.stretches.slice(from, from + this.inRun)));
    return made;
  }

  /** A page of the events in a window, and how many the window has in all. */
  within(bounds: Bounds, offset: number, limit: number): { ids: number[]; total: number } {
    const { startFrom = -Infinity, startUntil = Infinity, endFrom = -Infinity, endUntil = Infinity } = bounds;
    const ids: number[] = [];
    let total = 0;
    this.runs ??= this.allRuns();
    const isOffPage = (many: number): boolean => total + many <= offset || total >= offset + limit;
    for (let n = this.firstFrom(startFrom); n < this.stretches.length; n++) {
      const stretch = this.stretches[n] as Stretch;
      const { base, cells, lastStart, lastEnd } = stretch;
      // No event ends before it begins, so nothing from here on can match.
      if (base > startUntil || base > endUntil) break;
      const run = n % this.inRun === 0 ? (this.runs[n / this.inRun] as Run) : undefined;
      const isInTime = run && base >= startFrom && run.lastStart <= startUntil;
      if (isInTime && run.firstEnd >= endFrom && run.lastEnd <= endUntil && isOffPage(run.many)) {
        total += run.many;
        n += this.inRun - 1;
        continue;
      }
      if (lastEnd < endFrom) continue;
      // If all its events begin within the window, they are examined one by one only if some are on the page.
      if (base >= startFrom && lastStart <= startUntil) {
        const many = endingWithin(stretch, endFrom, endUntil);
        if (isOffPage(many)) {
          total += many;
          continue;
        }
      }
      // Relative to the base, like the cells: adding the base to each cell, or destructuring pairs, makes garbage.
      const firstStart = startFrom - base;
      const latestStart = startUntil - base;
      const earliestEnd = endFrom - base;
      const latestEnd = endUntil - base;
      for (let cell = 0; cell < cells.length; cell += WIDTH) {
        const start = cells[cell + START] as number;
        const end = cells[cell + END] as number;
        if (start < firstStart || start > latestStart || end < earliestEnd || end > latestEnd) continue;
        if (total >= offset && ids.length < limit) ids.push(cells[cell + ID] as number);
        total++;
      }
    }
    return { ids, total };
  }
}
