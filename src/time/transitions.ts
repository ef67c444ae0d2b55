// When a zone's offset changes, asked of Intl and cached: one Intl call costs as much as some hundred lookups.
import { DAY } from './calendar.js';

/** A period with one offset. The letters are filled in at their first use; '': they change within it. */
export interface Span {
  readonly from: number;
  readonly until: number;
  readonly offset: number;
  letters?: string;
}

/** About a year: small enough to be computed within a millisecond, and most zones change twice in it. */
const BLOCK = 360 * DAY;
/** No two changes in the tz database are closer than 3.98 days (Freetown, September 1939). */
const STEP = 3 * DAY;
// 1900–2100. Outside, every lookup asks Intl, so that no caller can make the tables grow without end.
const FIRST_BLOCK = Math.floor(-2_208_988_800 / BLOCK);
const LAST_BLOCK = Math.floor(4_133_980_799 / BLOCK);

const written = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

function offsetFrom(text: string): number {
  const found = written.exec(text);
  if (!found) throw new RangeError(`Intl gave no offset: ${text}`);
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = found;
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === '-' ? -size : size;
}

/** A function from epoch seconds to the span that contains them. Throws RangeError if Intl does not know the zone. */
export function spansOf(timeZone: string): (instant: number) => Span {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  const ask = (instant: number) => offsetFrom(format.format(instant * 1000));
  const blocks: (Span[] | undefined)[] = new Array(LAST_BLOCK - FIRST_BLOCK + 1).fill(undefined);

  /** The first second of the later offset, between two instants with different offsets. */
  function change(before: number, after: number, offset: number): number {
    let low = before;
    let high = after;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (ask(middle) === offset) low = middle;
      else high = middle;
    }
    return high;
  }

  function build(block: number): Span[] {
    const end = (block + 1) * BLOCK;
    const spans: Span[] = [];
    let at = block * BLOCK;
    let from = at;
    let offset = ask(at);
    while (at < end) {
      const next = Math.min(at + STEP, end);
      const later = ask(next);
      if (later !== offset) {
        const until = change(at, next, offset);
        spans.push({ from, until, offset });
        [from, offset] = [until, later];
      }
      at = next;
    }
    // After a change exactly at the end, nothing is left for this block: the new offset belongs to the next one.
    if ((spans.at(-1)?.until ?? 0) !== end || spans.length === 0) spans.push({ from, until: end, offset });
    return spans;
  }

  return (instant) => {
    const block = Math.floor(instant / BLOCK);
    if (!(block >= FIRST_BLOCK && block <= LAST_BLOCK)) {
      // Nobody looks for changes there.
      const until = block < FIRST_BLOCK ? FIRST_BLOCK * BLOCK : Number.POSITIVE_INFINITY;
      return { from: instant, until, offset: ask(Math.floor(instant)) };
    }
    let spans = blocks[block - FIRST_BLOCK];
    if (!spans) {
      spans = build(block);
      blocks[block - FIRST_BLOCK] = spans;
    }
    for (const span of spans) if (instant < span.until) return span;
    throw new RangeError(`No span of ${timeZone} at ${instant}`);
  };
}
