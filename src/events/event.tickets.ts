import {
  type Arg,
  type Args,
  arg,
  bad,
  ok,
  problemsIn,
  type Reader,
  readArgs,
  required,
  type Values,
} from '../records/args.js';
import {
  filledText,
  freeText,
  isCleared,
  nothing,
  numeric,
  plainMomentInUtc,
  tooMany,
  url,
  wholeNumber,
} from '../records/readers.js';
import { cleanLine } from '../text/html.js';
import { type Moment, wallOf } from '../time/parse.js';
import { UTC } from '../time/zone.js';
import type { Ticket } from './event.shape.js';

/** Tickets of an event (D12): where they are sold, at what price, how many, and when. */

const DEFAULT_PROVIDER = 'external';
const MOST = 100;

const price: Reader<number> = (raw) => {
  const n = numeric(raw);
  return n !== undefined && n >= 0 && n < 1e12 ? ok(n) : bad('reason.price');
};
const capacity: Reader<number> = (raw) => {
  const n = wholeNumber(raw);
  return n !== undefined && n >= 0 ? ok(n) : bad('reason.capacity');
};
const currency: Reader<string> = (raw) =>
  typeof raw === 'string' && /^[A-Za-z]{3}$/.test(raw) ? ok(raw.toUpperCase()) : bad('reason.currency');

const ticketArgs = required(
  {
    name: arg({ type: 'string', description: 'arg.ticket.name' }, filledText(500)),
    provider: arg({ type: 'string', description: 'arg.ticket.provider' }, freeText(200)),
    price: arg({ format: 'double', description: 'arg.ticket.price' }, price),
    currency: arg({ type: 'string', description: 'arg.ticket.currency' }, currency),
    url: arg({ type: 'string', description: 'arg.ticket.url' }, url),
    capacity: arg({ type: 'integer', description: 'arg.ticket.capacity' }, capacity),
    sale_starts: arg({ type: 'string', description: 'arg.ticket.sale_starts' }, plainMomentInUtc),
    sale_ends: arg({ type: 'string', description: 'arg.ticket.sale_ends' }, plainMomentInUtc),
  },
  'name',
);

/** Sale times are given, stored and shown in UTC, so that they can be written back: sellers have their own zone. */
const inUtc = (at: Moment | undefined): string | undefined => at && wallOf(at, UTC);

function ticketOf(values: Values<typeof ticketArgs>): Ticket {
  const sale_starts = inUtc(values.sale_starts);
  const sale_ends = inUtc(values.sale_ends);
  return {
    name: cleanLine(values.name ?? ''),
    provider: cleanLine(values.provider ?? '') || DEFAULT_PROVIDER,
    ...(values.price !== undefined ? { price: values.price } : {}),
    ...(values.currency !== undefined ? { currency: values.currency } : {}),
    ...(values.url ? { url: values.url } : {}),
    ...(values.capacity !== undefined ? { capacity: values.capacity } : {}),
    ...(sale_starts ? { sale_starts } : {}),
    ...(sale_ends ? { sale_ends } : {}),
  };
}

export const tickets: Reader<Ticket[]> = async (raw, reading) => {
  if (isCleared(raw)) return reading.creating ? nothing() : ok([]);
  if (!Array.isArray(raw)) return bad('reason.tickets');
  if (raw.length > MOST) return tooMany(MOST);
  const found: Ticket[] = [];
  for (const one of raw) {
    if (one === null || typeof one !== 'object' || Array.isArray(one)) return bad('reason.tickets');
    try {
      const values = await readArgs<Record<string, Arg> & typeof ticketArgs>(
        ticketArgs,
        one as Record<string, unknown>,
        {
          ...reading,
          creating: true,
        },
      );
      const ticket = ticketOf(values);
      if (ticket.name === '') return bad('reason.tickets');
      found.push(ticket);
    } catch (error) {
      return problemsIn(error, 'reason.tickets', `[${found.length}]`);
    }
  }
  return ok(found);
};

export const ticketMembers: Args = ticketArgs;

/** The sellers, each named once. */
export const providersOf = (list: Ticket[]): string[] => [...new Set(list.map((ticket) => ticket.provider))];
