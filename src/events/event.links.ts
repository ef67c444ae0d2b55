import { managesTerms, writes } from '../access/rights.js';
import type { LinkedTable } from '../db/tables.js';
import { Failure, InvalidParams } from '../errors.js';
import { createOrganizer, organizerTables } from '../organizers/organizer.js';
import { type OrganizerValues, organizerCreateArgs } from '../organizers/organizer.schema.js';
import { bad, ok, type Problem, problemsIn, type Reader, type Reading, readArgs } from '../records/args.js';
import type { Context } from '../records/context.js';
import { type LinkedTables, namesakes, readableIds } from '../records/linked.store.js';
import {
  elements,
  isEmpty,
  LONGEST_NAME,
  MOST_ELEMENTS,
  nothing,
  numberOfRecord,
  Repeated,
  textOf,
  tooMany,
  wholeNumber,
} from '../records/readers.js';
import { addTerm } from '../records/term.js';
import {
  isNameWithComma,
  LONGEST_TERM,
  type TermValues,
  termCalled,
  termCreateArgs,
  termLike,
} from '../records/term.schema.js';
import { byId, type TermKindName } from '../records/term.store.js';
import { cleanTermName, cleanTitle } from '../text/html.js';
import { createVenue, venueTables } from '../venues/venue.js';
import { type VenueValues, venueCreateArgs } from '../venues/venue.schema.js';

/** References of an event: venues, organizers, categories, tags, by id, by name or by the fields of a new one (D8). */

/** A record to link: an existing one, or one to be found by its name or else created. */
export type Ref<V> = { id: number } | { name: string; values: V };

const isObject = (raw: unknown): raw is Record<string, unknown> =>
  raw !== null && typeof raw === 'object' && !Array.isArray(raw);

/** Whether an object is a list in the eyes of the reference: `{"0": …, "1": …}`. */
const isNumbered = (raw: unknown): raw is Record<string, unknown> =>
  isObject(raw) && Object.keys(raw).length > 0 && Object.keys(raw).every((key, at) => key === String(at));

/** How many names between commas are looked up. */
const MOST_NAMES = 100;

interface Named {
  one: unknown;
  place: string;
}

/** The references, one by one, each with its position in the list. */
async function linkedElements(raw: unknown, areNames: (texts: string[]) => Promise<boolean>): Promise<Named[]> {
  const list = Array.isArray(raw) || isNumbered(raw) ? Object.values(raw) : undefined;
  const all: Named[] = [];
  for (const [at, one] of (list ?? [raw]).entries()) {
    if (list && (one === '' || one === null || one === 0 || one === '0' || one === false)) continue;
    const place = list ? `[${at}]` : '';
    for (const part of await separated(one, areNames)) all.push({ one: part, place });
  }
  return all;
}

/**
 * Text with commas is several references if all parts are ids or existing names. Any other text is a single name, with
 * its commas: venues have commas in their names, and house numbers after them.
 */
async function separated(raw: unknown, areNames: (texts: string[]) => Promise<boolean>): Promise<unknown[]> {
  if (typeof raw !== 'string' || !raw.includes(',')) return [raw];
  const parts = raw.split(',').flatMap((part) => part.trim() || []);
  if (parts.every((part) => wholeNumber(part) !== undefined)) return parts;
  return !(await areNames([raw])) && (await areNames(parts)) ? parts : [raw];
}

interface LinkReader<V> {
  tables: LinkedTables;
  read: (raw: Record<string, unknown>, reading: Reading) => Promise<V>;
}
const VENUE: LinkReader<VenueValues> = {
  tables: venueTables,
  read: (raw, reading) => readArgs(venueCreateArgs, raw, reading),
};
const ORGANIZER: LinkReader<OrganizerValues> = {
  tables: organizerTables,
  read: (raw, reading) => readArgs(organizerCreateArgs, raw, reading),
};

type LinkedRef = Ref<VenueValues & OrganizerValues>;
const NAMELESS: LinkedRef = { name: '', values: {} };

/** Any empty value removes the organizers, as in the reference; a venue is removed by "" and by an empty list (A5). */
const clears = (table: LinkedTable, raw: unknown): boolean => table === 'organizer' || raw === '' || Array.isArray(raw);

export const linkedRefs =
  (table: LinkedTable): Reader<LinkedRef[]> =>
  async (raw, reading) => {
    const kind = table === 'venue' ? VENUE : ORGANIZER;
    if (isEmpty(raw)) return reading.creating || !clears(table, raw) ? nothing() : ok([]);
    // Limits the lookups: none for callers who may not write, and not thousands for a text with thousands of commas.
    let patience = writes(reading.caller) ? MOST_NAMES : 0;
    const areNames = async (texts: string[]): Promise<boolean> => {
      for (const text of texts) {
        if (text.length > LONGEST_NAME || patience-- <= 0) return false;
        if ((await named(reading, kind.tables, text)) === undefined) return false;
      }
      return true;
    };
    const asked = await linkedElements(raw, areNames);
    if (asked.length > MOST_ELEMENTS) return tooMany();
    // A list of nothing names no organizer, and a venue that cannot be created (reference).
    const refs: LinkedRef[] = asked.length === 0 && table === 'venue' ? [NAMELESS] : [];
    for (const { one, place } of asked) {
      const ref = await linkedRef(kind, one, reading, place);
      if (ref === undefined) return bad(`reason.${table}.ref`);
      if (ref === 'none') continue;
      if ('problem' in ref) return ref;
      refs.push(ref);
    }
    const ids = refs.flatMap((ref) => ('id' in ref ? [ref.id] : []));
    const known = await readableIds(reading.db, table, reading.caller, ids);
    const unknown = ids.find((id) => !known.has(id));
    return unknown === undefined ? ok(refs) : bad(`reason.${table}.unknown`, { id: unknown });
  };

async function linkedRef(
  kind: LinkReader<unknown>,
  one: unknown,
  reading: Reading,
  place: string,
): Promise<LinkedRef | Problem | 'none' | undefined> {
  const id = numberOfRecord(one);
  if (id !== undefined) return id > 0 ? { id } : undefined;
  if (typeof one === 'string')
    return one.trim() === '' ? undefined : newRef(kind, { [kind.tables.table]: one }, reading, place);
  if (!isObject(one)) return undefined;
  if (!isEmpty(one.id) && one.id !== undefined && one.id !== null) {
    const given = wholeNumber(one.id);
    return given !== undefined && given > 0 ? { id: given } : undefined;
  }
  if (Object.values(one).every((value) => value === null || isEmpty(value))) {
    // The reference takes an organizer without content for none, but fails to create such a venue.
    return kind.tables.table === 'organizer' ? 'none' : NAMELESS;
  }
  return newRef(kind, one, reading, place);
}

/** A record to be found by its name or else created; or why it cannot be created. */
async function newRef(
  kind: LinkReader<unknown>,
  given: Record<string, unknown>,
  reading: Reading,
  place: string,
): Promise<LinkedRef | Problem> {
  try {
    const values = (await kind.read(given, { ...reading, creating: true })) as VenueValues & OrganizerValues;
    return { name: String(values[kind.tables.table as 'venue'] ?? ''), values };
  } catch (error) {
    return problemsIn(error, `reason.${kind.tables.table}.ref`, place);
  }
}

/** Reports problems with the members of a new record as problems with the parameter that contains it. */
const asOwn =
  (name: string) =>
  (error: unknown): never => {
    throw new InvalidParams(new Map([[name, problemsIn(error, `reason.${name}.ref`).problem]]));
  };

/** The record that a name refers to (D8). */
const named = async ({ db, caller }: Pick<Context, 'db' | 'caller'>, tables: LinkedTables, name: string) =>
  (await namesakes(db, tables, caller, cleanTitle(name)))[0];

/** Ids of the records referred to; missing ones are created if the caller may do so (D8). */
async function resolveLinked(
  context: Context,
  refs: LinkedRef[],
  tables: LinkedTables,
  make: (context: Context, values: VenueValues & OrganizerValues) => Promise<number>,
): Promise<number[]> {
  const ids: number[] = [];
  for (const ref of refs) {
    let id: number;
    if ('id' in ref) id = ref.id;
    else {
      const known = await named(context, tables, ref.name);
      id = known ? known.id : await make(context, ref.values).catch(asOwn(tables.table));
    }
    if (!ids.includes(id)) ids.push(id);
  }
  return ids;
}

export const resolveVenues = (context: Context, refs: LinkedRef[]): Promise<number[]> =>
  resolveLinked(context, refs, venueTables, createVenue);
export const resolveOrganizers = (context: Context, refs: LinkedRef[]): Promise<number[]> =>
  resolveLinked(context, refs, organizerTables, createOrganizer);

export type TermRef = Ref<TermValues>;

export const termRefs =
  (kind: TermKindName): Reader<TermRef[]> =>
  async (raw, reading) => {
    if (isEmpty(raw)) return reading.creating ? nothing() : ok([]);
    if (raw === true) return bad(`reason.${kind}.list`);
    const isOne = isObject(raw) ? 'id' in raw || 'name' in raw : await isNameWithComma(reading.db, kind, raw);
    // Names may contain commas, so the values of a repeated parameter are not split.
    const asked = isOne ? [raw] : elements(raw instanceof Repeated ? [...raw] : raw);
    if (asked.length > MOST_ELEMENTS) return tooMany();
    const refs: TermRef[] = [];
    for (const [at, one] of asked.entries()) {
      if (one === null || one === false || one === 0 || one === '0' || (typeof one === 'string' && one.trim() === ''))
        continue;
      const ref = await termRef(kind, one, reading, Array.isArray(raw) ? `[${at}]` : '');
      if (typeof ref === 'string') return bad(`reason.${kind}.unknown`, { term: ref });
      if ('problem' in ref) return ref;
      refs.push(ref);
    }
    return ok(refs);
  };

/** A reference, the text that could not be understood, or the problems with its members. */
async function termRef(
  kind: TermKindName,
  one: unknown,
  reading: Reading,
  place: string,
): Promise<TermRef | Problem | string> {
  const hasId = isObject(one) && !isEmpty(one.id) && one.id !== undefined && one.id !== null;
  const given = hasId ? one.id : one;
  const id = numberOfRecord(given);
  if (id !== undefined) {
    // Text that looks like an id is a name first, if a term has it (a year, say), and an id only otherwise (reference).
    const named = typeof one === 'string' ? await termCalled(reading.db, kind, one) : undefined;
    if (named !== undefined) return { id: named };
    return (await byId(reading.db, kind, id)) ? { id } : String(given).slice(0, 50);
  }
  if (hasId) return (textOf(given) ?? JSON.stringify(given)).slice(0, 50);
  if (typeof given === 'string') {
    if (given.length > LONGEST_TERM) return bad('reason.long', { most: LONGEST_TERM });
    return cleanTermName(given) !== '' ? { name: given, values: { name: given } } : given.slice(0, 50);
  }
  if (!isObject(given)) return JSON.stringify(given).slice(0, 50);
  try {
    const values = await readArgs(termCreateArgs(kind), given, { ...reading, creating: true });
    return { name: values.name ?? '', values };
  } catch (error) {
    return problemsIn(error, `reason.${kind}.list`, place);
  }
}

export async function resolveTerms(context: Context, kind: TermKindName, refs: TermRef[]): Promise<number[]> {
  const ids: number[] = [];
  for (const ref of refs) {
    let id = 'id' in ref ? ref.id : await termLike(context.db, kind, ref.name, ref.values);
    if (id === undefined && 'values' in ref) {
      if (!managesTerms(context.caller, kind)) throw new Failure('rest_forbidden');
      id = (await addTerm(context.db, kind, ref.values)).id;
    }
    if (id !== undefined && !ids.includes(id)) ids.push(id);
  }
  return ids;
}
