import { Failure, invalidParam } from '../errors.js';
import { asksToEdit, type Context } from '../records/context.js';
import { type EffectiveFilters, type ListAnswer, links, listAnswer, pagesOf, pagingOf } from '../records/list.js';
import { defaultStatuses } from '../records/post.args.js';
import { withDescendants } from '../records/term.store.js';
import { tomorrow } from '../time/clock.js';
import { DATE_FILTERS, type DateFilters, listWindow, type Window } from '../time/window.js';
import { onSphere } from '../venues/venue.rules.js';
import { asksForHidden, type EventFilters } from './event.filters.store.js';
import { DEFAULT_DISTANCE_KM, type EventListValues } from './event.schema.js';
import { findsAgain } from './event.selection.store.js';
import { type Found, listEvents, opensAny } from './event.store.js';

const EARTH_RADIUS_KM = 6371.0088;

/** Less than a millimetre: so far off may be the point on the other side of the Earth. */
const ROUNDED = 1e-11;

/** A great-circle distance, as the length of its chord in the unit sphere. */
const chordOf = (km: number): number => 2 * Math.sin(Math.min(km / EARTH_RADIUS_KM, Math.PI) / 2) + ROUNDED;

function nearOf(values: EventListValues): EventFilters['near'] {
  const { geoloc_lat: lat, geoloc_lng: lng } = values;
  if (lat === undefined && lng === undefined) return undefined;
  if (lat === undefined) throw invalidParam('geoloc_lat', 'reason.geoloc.pair');
  if (lng === undefined) throw invalidParam('geoloc_lng', 'reason.geoloc.pair');
  return { point: onSphere(lat, lng), reach: chordOf(values.geoloc_distance ?? DEFAULT_DISTANCE_KM) };
}

/** `include` names events, so dates do not matter (B7); links repeat the relative ones all the same (reference). */
function windowOf(values: EventListValues, context: Context): Window {
  const filters: DateFilters = { strict: values.strict_dates ?? false };
  // Of so many parameters, few are given: copying all of them would take longer.
  for (const name of DATE_FILTERS) if (values[name]) filters[name] = values[name];
  const window = listWindow(filters, context.site.zone, context.now);
  if (!values.include) return window;
  const { start_date, end_date, ...shown } = window.shown;
  return { shown };
}

/** Until when the window stays the same: midnight, or only now if a filter is relative ("now", "tomorrow"). */
function untilOf({ given, site, now }: Context): number {
  const fixed = DATE_FILTERS.every((name) => given[name] === undefined || /^\d{4}-\d\d-\d\d/.test(String(given[name])));
  return fixed ? tomorrow(now, site.zone) : now;
}

/** Ids sent as one text are repeated in links as they were sent, blanks and all (reference). */
const asGiven = (ids: number[] | undefined, raw: unknown): string | undefined =>
  typeof raw === 'string' ? raw : ids?.join(',');

/** Hash of the password that was sent, if it opens any event; otherwise it counts as a wrong guess, as in `openOf`. */
async function openedBy(context: Context): Promise<string | undefined> {
  const { db, caller } = context;
  const sent = await context.passwordHash(db);
  if (sent === undefined || (await opensAny(db, caller, sent))) return sent;
  context.wrongPassword();
  return undefined;
}

export async function eventList(
  context: Context,
  values: EventListValues,
  view: (page: Found) => Promise<unknown[]>,
): Promise<ListAnswer> {
  const near = nearOf(values);
  const paging = pagingOf(values, context);
  const statuses = values.status ?? defaultStatuses(context.caller);
  const window = windowOf(values, context);
  const editing = asksToEdit(context);
  const filters: EventFilters = {
    statuses: statuses.statuses,
    window,
    words: values.search?.words,
    categories: values.categories && (await withDescendants(context, values.categories)),
    tags: values.tags,
    venues: values.venue,
    organizers: values.organizer,
    featured: values.featured,
    include: values.include,
    parent: values.post_parent,
    ticketed: values.ticketed,
    hasPlace: values.geoloc,
    near,
    withHidden: editing,
  };
  if (values.password !== undefined && (filters.words || asksForHidden(filters)))
    filters.opened = await openedBy(context);
  const page = await listEvents(context, filters, paging);
  if (page.ids.length === 0 && paging.page > 1) throw new Failure('event-archive-page-not-found');
  const { shown } = window;
  const asked: EffectiveFilters = [
    ['start_date', shown.start_date],
    ['end_date', shown.end_date],
    ['search', values.search?.text],
    ['geoloc', values.geoloc],
    ['geoloc_lat', values.geoloc_lat],
    ['geoloc_lng', values.geoloc_lng],
    ['status', statuses.shown],
    ['post_parent', values.post_parent],
    ['include', values.include?.join(',')],
    ['starts_before', shown.starts_before],
    ['starts_after', shown.starts_after],
    ['ends_before', shown.ends_before],
    ['ends_after', shown.ends_after],
    ['ticketed', values.ticketed],
    ['venue', asGiven(values.venue, context.given.venue)],
    ['organizer', asGiven(values.organizer, context.given.organizer)],
    ['featured', values.featured],
    ['categories', values.categories?.join(',')],
    ['tags', values.tags?.join(',')],
    ['geoloc_distance', values.geoloc_distance],
    // Only if a date is shown which it changes.
    ['strict_dates', (values.strict_dates && Object.keys(shown).length > 0) || undefined],
    ['context', editing ? 'edit' : undefined],
    // Only if it affects what is selected (B2).
    ['password', filters.opened === undefined ? undefined : values.password],
  ];
  const collection = `${context.address.api}/events/`;
  const told = (records: unknown[], total: number): ListAnswer => {
    const totalPages = pagesOf(total, paging.perPage);
    return listAnswer('events', records, links(collection, paging, totalPages, asked), total, totalPages);
  };
  const list = {
    ...told(await view(page), page.total),
    until: untilOf(context),
    retold: (total: number) => told([], total),
  };
  const { caller, kept } = context;
  if (kept?.basis) {
    const { things } = kept.basis;
    kept.basis = {
      things: () => [...things(), ...readWith(values)],
      selects: findsAgain(caller, filters, paging, page.ids),
    };
  }
  return list;
}

/** Kinds of records that were consulted to read the parameters themselves. */
function readWith(values: EventListValues): string[] {
  const { categories, tags, venue, organizer, geoloc, geoloc_lat, include, post_parent } = values;
  const has = (...some: unknown[]): boolean => some.some((one) => one !== undefined);
  return [
    ...(has(categories, tags) ? ['term'] : []),
    ...(has(venue, geoloc, geoloc_lat) ? ['venue'] : []),
    ...(has(organizer) ? ['organizer'] : []),
    ...(has(include, post_parent) ? ['event'] : []),
  ];
}
