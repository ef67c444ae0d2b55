export interface Placed {
  id: number;
  start_utc: number;
  end_utc: number;
  date_utc: number;
}

type Numbers = Uint32Array | Float64Array;

/** Four numbers per event, side by side. Events that begin at the same time are ordered by publication date. */
export const [ID, START, END, DATE, WIDTH] = [0, 1, 2, 3, 4];

/** Consecutive events: enough that little memory is wasted, few enough that inserting one is quick. */
export interface Stretch {
  /** No event begins earlier; starts and ends are stored relative to it. */
  base: number;
  cells: Numbers;
  /** Latest start, earliest and latest end. After removals these are still bounds, but may not be reached any more. */
  lastStart: number;
  firstEnd: number;
  lastEnd: number;
  /** The ends in ascending order, built when somebody first asks how many lie between two moments. */
  sortedEnds?: Numbers;
}

/** Binary search: how many of `many` ordered items come before the one looked for. */
export function countBefore(many: number, isBefore: (n: number) => boolean): number {
  let [low, high] = [0, many];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

const countBelow = (numbers: ArrayLike<number>, bound: number): number =>
  countBefore(numbers.length, (n) => (numbers[n] as number) < bound);

export const sizeOf = ({ cells }: Stretch): number => cells.length / WIDTH;
const at = (numbers: ArrayLike<number>, event: number, which: number): number =>
  numbers[event * WIDTH + which] as number;

/** Negative: the one event comes before the other. */
export const compared = (a: ArrayLike<number>, one: number, b: ArrayLike<number>, other: number): number =>
  at(a, one, START) - at(b, other, START) || at(a, one, DATE) - at(b, other, DATE) || at(a, one, ID) - at(b, other, ID);

const isSmall = (start: number, end: number, date: number): boolean =>
  start >= 0 && end >= 0 && date >= 0 && start < 2 ** 32 && end < 2 ** 32 && date < 2 ** 32;

/** From absolute numbers, in order. */
export function stretchOf(numbers: readonly number[]): Stretch {
  const many = numbers.length / WIDTH;
  const base = at(numbers, 0, START);
  let [firstEnd, lastEnd, areSmall] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, true];
  for (let n = 0; n < many; n++) {
    const [start, end, date] = [at(numbers, n, START), at(numbers, n, END), at(numbers, n, DATE)];
    if (end < firstEnd) firstEnd = end;
    if (end > lastEnd) lastEnd = end;
    areSmall &&= isSmall(start - base, end - base, date);
  }
  // 32 bits per number instead of 64 where all numbers are small, as nearly always.
  const cells = areSmall ? new Uint32Array(numbers.length) : new Float64Array(numbers.length);
  for (let n = 0; n < numbers.length; n += WIDTH) {
    cells[n + ID] = numbers[n + ID] as number;
    cells[n + START] = (numbers[n + START] as number) - base;
    cells[n + END] = (numbers[n + END] as number) - base;
    cells[n + DATE] = numbers[n + DATE] as number;
  }
  return { base, cells, lastStart: at(numbers, many - 1, START), firstEnd, lastEnd };
}

export function numbersOf({ cells, base }: Stretch): number[] {
  const numbers = Array.from(cells);
  for (let n = 0; n < numbers.length; n += WIDTH) {
    numbers[n + START] = (numbers[n + START] as number) + base;
    numbers[n + END] = (numbers[n + END] as number) + base;
  }
  return numbers;
}

const room = (like: Numbers, length: number): Numbers =>
  like instanceof Uint32Array ? new Uint32Array(length) : new Float64Array(length);

export function withEvent(stretch: Stretch, { id, start_utc, end_utc, date_utc }: Placed): Stretch {
  const { base, cells } = stretch;
  const given = [id, start_utc - base, end_utc - base, date_utc];
  const place = countBefore(sizeOf(stretch), (n) => compared(cells, n, given, 0) < 0);
  if (start_utc < base || (cells instanceof Uint32Array && !isSmall(0, end_utc - base, date_utc))) {
    const numbers = numbersOf(stretch);
    numbers.splice(place * WIDTH, 0, id, start_utc, end_utc, date_utc);
    return stretchOf(numbers);
  }
  const made = room(cells, cells.length + WIDTH);
  made.set(cells.subarray(0, place * WIDTH));
  made.set(given, place * WIDTH);
  made.set(cells.subarray(place * WIDTH), (place + 1) * WIDTH);
  return {
    base,
    cells: made,
    lastStart: Math.max(stretch.lastStart, start_utc),
    firstEnd: Math.min(stretch.firstEnd, end_utc),
    lastEnd: Math.max(stretch.lastEnd, end_utc),
  };
}

/** Returns the same object if it holds none of the events, undefined if it holds no others. */
export function without(stretch: Stretch, ids: ReadonlySet<number>): Stretch | undefined {
  const { cells } = stretch;
  let length = 0;
  while (length < cells.length && !ids.has(cells[length + ID] as number)) length += WIDTH;
  if (length === cells.length) return stretch;
  const left = cells.slice();
  for (let cell = length + WIDTH; cell < cells.length; cell += WIDTH) {
    if (ids.has(cells[cell + ID] as number)) continue;
    for (let n = 0; n < WIDTH; n++) left[length + n] = cells[cell + n] as number;
    length += WIDTH;
  }
  const { base, lastStart, firstEnd, lastEnd } = stretch;
  return length === 0 ? undefined : { base, cells: left.slice(0, length), lastStart, firstEnd, lastEnd };
}

/** How many events end between two moments, both inclusive and in whole seconds. */
export function endingWithin(stretch: Stretch, from: number, until: number): number {
  const { base, cells, firstEnd, lastEnd } = stretch;
  if (firstEnd >= from && lastEnd <= until) return sizeOf(stretch);
  stretch.sortedEnds ??= cells.filter((_, n) => n % WIDTH === END).sort();
  return Math.max(0, countBelow(stretch.sortedEnds, until - base + 1) - countBelow(stretch.sortedEnds, from - base));
}

/** Puts the events into order, unless they are in order already. */
export function sorted(numbers: number[]): number[] {
  const many = numbers.length / WIDTH;
  let n = 1;
  while (n < many && compared(numbers, n - 1, numbers, n) < 0) n++;
  if (n >= many) return numbers;
  const order = Array.from({ length: many }, (_, one) => one).sort((a, b) => compared(numbers, a, numbers, b));
  return order.flatMap((one) => numbers.slice(one * WIDTH, (one + 1) * WIDTH));
}
