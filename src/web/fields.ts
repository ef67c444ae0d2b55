import { LONGEST_TITLE } from '../events/event.schema.js';
import type { EventRecord } from '../events/event.shape.js';
import { venuesOf } from '../events/event.view.js';
import type { OrganizerRecord } from '../organizers/organizer.shape.js';
import { LONGEST_NAME } from '../records/readers.js';
import type { TermRecord } from '../records/shape.js';
import { LONGEST_TERM } from '../records/term.schema.js';
import { amountsIn } from '../text/cost.js';
import { cleanTermDescription, plainLines, plainText, renderHtml, renderTitle } from '../text/html.js';
import { asciiUrl, isEmail } from '../text/url.js';
import type { VenueRecord } from '../venues/venue.shape.js';

/** The fields of the forms: what each one shows, and what it sends to the API when it was changed. */

/** A text, or several where more than one can be chosen. */
export type Value = string | string[];
export type Values = Record<string, Value>;

export interface Field<R> {
  name: string;
  label: string;
  as: 'line' | 'area' | 'names' | 'moment' | 'zone' | 'check' | 'categories' | 'parent' | 'picture' | 'status';
  hint?: string;
  rows?: number;
  /** Of names: how many more may be added at once. */
  spare?: number;
  /** Further HTML attributes of its control. */
  more?: string;
  shown: (record: R) => Value;
  /** What a value means for this record, if the same can be said in two ways. */
  meant?: (value: Value, record: R) => Value;
  /** Converts the value for the API; without it, the text is sent as it is. */
  given?: (value: Value, record: R | undefined) => unknown;
  /** Why a value that was changed cannot be sent, as the key of a text: what the API would take in another sense. */
  wrong?: (value: Value, values: Values) => string | undefined;
}

const YES = 'true';
const check = <N extends string>(name: N, label: string): Field<Record<N, boolean | null>> => ({
  name,
  label,
  as: 'check',
  shown: (record) => (record[name] ? YES : ''),
  given: (value) => value === YES,
});

/** A day and, unless the event takes whole days, a time to the minute: `2031-03-05T19:30`. */
const moment = (name: 'start_date' | 'end_date', label: string): Field<EventRecord> => ({
  name,
  label,
  as: 'moment',
  shown: (record) => record[name].slice(0, record.all_day ? 10 : 16).replace(' ', 'T'),
  // A time without a day is none that the API should guess.
  given: (value) => (momentOf(value).day === '' ? '' : value),
  wrong: (value, { all_day }) => (all_day === YES || momentOf(value).time !== '' ? undefined : 'form.no-time'),
});

export function momentOf(value: Value): { day: string; time: string } {
  const [day = '', time = ''] = String(value).split('T');
  return { day, time };
}
/** The name of the field for the time, beside that for the day. */
export const timeField = (name: string): string => `${name}_time`;

/** A missing member is shown as an empty line. */
const line = <N extends string>(name: N, label: string, more = ''): Field<Partial<Record<N, string | number>>> => ({
  name,
  label,
  as: 'line',
  more,
  shown: (record) => plainText(String(record[name] ?? '')),
});

/** With a decimal comma, too, as many people write them. */
const degrees = <N extends string>(name: N, label: string): Field<Partial<Record<N, number>>> => ({
  ...line(name, label, ' inputmode="decimal"'),
  given: (value) => String(value).replace(',', '.'),
});

const partsOf = (value: Value, between: string | RegExp): string[] =>
  String(value)
    .split(between)
    .map((one) => one.trim())
    .filter((one) => one !== '');
export const linesOf = (value: Value): string[] => partsOf(value, '\n');

/**
 * One name per line. Records that are already linked keep their ids, even if others have the same name. `parts`: what
 * else separates names.
 */
function named<T extends { id: number }>(
  name: string,
  label: string,
  all: (event: EventRecord) => readonly T[],
  nameOf: (one: T) => string,
  member: string,
  parts?: RegExp,
): Field<EventRecord> {
  const nameFor = (one: T): string => plainText(nameOf(one));
  return {
    name,
    label,
    as: 'area',
    rows: 2,
    hint: 'form.tags',
    shown: (event) => all(event).map(nameFor).join('\n'),
    given: (value, event) => {
      const known = event ? [...all(event)] : [];
      const isKnown = (line: string): boolean => known.some((one) => nameFor(one) === line);
      const names = linesOf(value).flatMap((line) => (parts && !isKnown(line) ? partsOf(line, parts) : line));
      return names.map((text) => {
        const at = known.findIndex((one) => nameFor(one) === text);
        const [same] = at < 0 ? [] : known.splice(at, 1);
        return same ? { id: same.id } : { [member]: text };
      });
    },
  };
}

/** Each name in a control of its own, where known names are suggested: whoever mistypes one makes another record. */
const namesApart = (spare: number) => ({ as: 'names', spare, hint: 'form.names' }) as const;

/** Plain text, if rendering it gives back the same HTML. */
const plainer = (html: string, plain: string, rendered: (text: string) => string): string =>
  rendered(plain) === html ? plain : html;

const title = <N extends string>(name: N, label: string, most: number): Field<Record<N, string>> => ({
  name,
  label,
  as: 'line',
  more: ` required maxlength="${most}"`,
  // Browsers remove line ends from single-line inputs, which would look like a change.
  shown: (record) => plainer(record[name], plainText(record[name]), renderTitle).replaceAll('\n', ' '),
});

const description: Field<{ description?: string | undefined }> = {
  name: 'description',
  label: 'form.description',
  as: 'area',
  rows: 10,
  hint: 'form.text-or-html',
  shown: ({ description: html = '' }) => plainer(html, plainLines(html), renderHtml),
};

const picture: Field<{ image?: false | { id: number } | undefined }> = {
  name: 'image',
  label: 'form.picture',
  as: 'picture',
  shown: ({ image }) => (image ? String(image.id) : ''),
};

const status: Field<{ status: string }> = {
  name: 'status',
  label: 'form.status',
  as: 'status',
  shown: (record) => record.status,
};

/** Marks the name of a new category among the ids of known ones. */
export const NEW = '+';

const website = {
  ...line('website', 'page.website', ' type="url" placeholder="https://"'),
  given: (value: Value) => asciiUrl(String(value)),
};

export const EVENT: readonly Field<EventRecord>[] = [
  title('title', 'form.title', LONGEST_TITLE),
  moment('start_date', 'form.start'),
  moment('end_date', 'form.end'),
  check('all_day', 'form.all-day'),
  { ...line('timezone', 'form.timezone'), as: 'zone' },
  { ...named('venue', 'page.where', venuesOf, (one) => one.venue, 'venue'), ...namesApart(1) },
  {
    ...named(
      'organizer',
      'page.organizer',
      (event) => event.organizer,
      (one) => one.organizer,
      'organizer',
    ),
    ...namesApart(2),
  },
  description,
  {
    name: 'categories',
    label: 'page.categories',
    as: 'categories',
    shown: ({ categories }) => categories.map(({ id }) => String(id)),
    // Sent twice, the name of a new category is that of one which the event has by now.
    meant: (all, { categories }) =>
      [all].flat().map((one) => {
        const known = categories.find(({ name }) => one === NEW + plainText(name));
        return known ? String(known.id) : one;
      }),
    given: (all) => [all].flat().map((one) => (one.startsWith(NEW) ? { name: one.slice(NEW.length) } : Number(one))),
  },
  named(
    'tags',
    'page.tags',
    (event) => event.tags,
    (one) => one.name,
    'name',
    /[,،、]/,
  ),
  {
    ...line('cost', 'page.cost'),
    hint: 'form.cost-hint',
    // Whoever copies an event may leave what could not be typed.
    given: (value) => amountsIn(String(value)) ?? [String(value)],
    wrong: (value) => (amountsIn(String(value)) ? undefined : 'form.cost'),
  },
  // For events without a website, the API returns the address of their own page.
  {
    ...website,
    shown: ({ website, url }) => (website === url ? '' : plainText(website)),
  },
  picture,
  check('featured', 'form.featured'),
  check('hide_from_listings', 'form.hidden'),
  status,
];

export const VENUE: readonly Field<VenueRecord>[] = [
  title('venue', 'form.name', LONGEST_NAME),
  line('address', 'form.address'),
  line('zip', 'form.zip'),
  line('city', 'form.city'),
  line('stateprovince', 'form.province'),
  line('country', 'form.country'),
  degrees('geo_lat', 'form.latitude'),
  degrees('geo_lng', 'form.longitude'),
  line('phone', 'page.phone'),
  website,
  description,
  picture,
  status,
];

export const ORGANIZER: readonly Field<OrganizerRecord>[] = [
  title('organizer', 'form.name', LONGEST_NAME),
  line('phone', 'page.phone'),
  // Not `type="email"`: browsers convert non-ASCII host names and reject many addresses that are accepted here.
  {
    ...line('email', 'page.email', ' inputmode="email"'),
    wrong: (value) => (isEmail(String(value)) ? undefined : 'form.email'),
  },
  website,
  description,
  picture,
  status,
];

export const TAG: readonly Field<TermRecord>[] = [
  line('name', 'form.name', ` required maxlength="${LONGEST_TERM}"`),
  {
    ...description,
    rows: 3,
    shown: ({ description: html = '' }) => plainer(html, plainLines(html), cleanTermDescription),
  },
];

export const CATEGORY: readonly Field<TermRecord>[] = [
  ...TAG,
  {
    name: 'parent',
    label: 'form.parent',
    as: 'parent',
    shown: ({ parent }) => (parent ? String(parent) : ''),
    given: (value) => value || 0,
  },
];

export const valuesOf = <R>(fields: readonly Field<R>[], record: R): Values =>
  Object.fromEntries(fields.map(({ name, shown }) => [name, shown(record)]));

/** Forms send CRLF; here, lines end in LF. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value.replaceAll('\r\n', '\n').trim() : '');

const empty = ({ as }: Pick<Field<never>, 'as'>): Value => (as === 'categories' ? [] : '');

/** Unticked boxes are not sent; any other field that is missing was not in the form. */
const isBox = ({ as }: Pick<Field<never>, 'as'>): boolean => as === 'check' || as === 'categories';

/** What was submitted, not necessarily by our own form: several values only where several are expected. */
export const valuesIn = <R>(fields: readonly Field<R>[], form: Record<string, unknown>): Values =>
  Object.fromEntries(
    fields
      .filter((field) => isBox(field) || form[field.name] !== undefined)
      .map(({ name, as }) => {
        const sent = form[name];
        if (as === 'moment') {
          const { day, time } = momentOf(textOf(sent));
          const hour = time || textOf(form[timeField(name)]);
          return [name, hour === '' ? day : `${day}T${hour}`];
        }
        if (as === 'names') return [name, [sent].flat().map(textOf).filter(Boolean).join('\n')];
        if (as !== 'categories') return [name, textOf(sent)];
        const added = linesOf(textOf(form.new_categories)).map((one) => NEW + one);
        return [name, [...[sent ?? []].flat().map(textOf).filter(Boolean), ...added]];
      }),
  );

const sorted = (value: Value): Value => (Array.isArray(value) ? [...value].sort() : value);
const isSame = (one: Value, other: Value): boolean => JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));

/** All that a form shows of a record: changes to anything else do not keep the user from saving. */
export const seenOf = <R>(fields: readonly Field<R>[], record: R): string =>
  JSON.stringify(fields.map(({ shown }) => sorted(shown(record))));

/** The fields that were changed or, for a new record, filled in. */
const changedFields = <R>(fields: readonly Field<R>[], values: Values, record: R | undefined): readonly Field<R>[] =>
  fields.filter((field) => {
    const value = values[field.name];
    if (value === undefined) return false;
    if (record === undefined) return !isSame(value, empty(field));
    return !isSame(field.meant?.(value, record) ?? value, field.shown(record));
  });

/** Only what was changed (A5), as the API takes it. `linked`: whose linked records keep their ids. */
export const changedIn = <R>(
  fields: readonly Field<R>[],
  values: Values,
  record: R | undefined,
  linked = record,
): Record<string, unknown> =>
  Object.fromEntries(
    changedFields(fields, values, record).map(({ name, given }) => {
      const value = values[name] ?? '';
      return [name, given ? given(value, linked) : value];
    }),
  );

/** What cannot be sent: the fields, and the reasons as keys of texts. */
export function wrongIn<R>(
  fields: readonly Field<R>[],
  values: Values,
  record: R | undefined,
): { name: string; label: string; reason: string }[] {
  const changed = changedFields(fields, values, record);
  return fields.flatMap((field) => {
    const { name, label, as, wrong } = field;
    const value = values[name];
    // A day without a time also becomes wrong if only "all day" was changed.
    if (!wrong || !value || !(as === 'moment' || changed.includes(field))) return [];
    const reason = wrong(value, values);
    return reason === undefined ? [] : { name, label, reason };
  });
}
