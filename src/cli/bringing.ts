import { KalendsError } from '../client/client.js';
import { plainText } from '../text/html.js';
import { withSuffix } from '../text/slug.js';
import { findZone, isRepeated, toInstant, toWall, UTC } from '../time/zone.js';
import type { Calendar, Moved, Plural, Told } from './moved.js';
import { costOf } from './prices.js';

/** Creates records of another site here, unless they exist. Refused ones are reported; the others are imported. */

/** The record here for each id of the other site; undefined: it was refused. */
type Came = Map<number, { id: number; isNew: boolean; above: number } | undefined>;
interface Arrived {
  here: Told;
  isNew: boolean;
}

/** Without these members there is no record; any other that is refused is left out and reported. */
const NEEDED: Record<Plural, readonly string[]> = {
  categories: ['name'],
  tags: ['name'],
  venues: ['venue'],
  organizers: ['organizer'],
  events: ['title', 'start_date', 'end_date', 'timezone'],
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const linkedIn = (value: unknown): Told[] =>
  ([value].flat() as (Told | undefined)[]).flatMap((one) => (one?.id ? one : []));
const WALL = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
/** The instants, where the wall clock alone would be the first of two like hours. */
function exactTimes(there: Told): object {
  const zone = findZone(textOf(there.timezone));
  const times = (['start_date', 'end_date'] as const).flatMap((name) => {
    const [local, utc] = [textOf(there[name]), textOf(there[`utc_${name}`])];
    if (!zone || !WALL.test(local) || !WALL.test(utc)) return [];
    const instant = toInstant(utc, UTC);
    return toWall(instant, zone) === local && isRepeated(instant, zone) ? [[name, `${utc}Z`]] : [];
  });
  return Object.fromEntries(times);
}
const pictureOf = ({ image }: Told): string => textOf((image as { url?: unknown } | undefined)?.url);
/** Server errors are not the fault of the record. */
function refusedIn(error: unknown): KalendsError {
  if (error instanceof KalendsError && error.status < 500) return error;
  throw error;
}

const aboveOf = (there: Told): number => Number(there.parent ?? there.post_parent) || 0;

/** The dates of a series may share one slug: each but the first then gets its day, or its day and time, as a suffix. */
function slugsFor({ slug, start_date }: Told): string[] {
  const [day = '', time = ''] = textOf(start_date).split(' ');
  return [slug, withSuffix(slug, day), withSuffix(slug, `${day}-${time.slice(0, 5).replace(':', '')}`)];
}

export function bringerTo(to: Calendar, sign: string, moved: Moved) {
  const came: Record<Plural, Came> = {
    categories: new Map(),
    tags: new Map(),
    venues: new Map(),
    organizers: new Map(),
    events: new Map(),
  };
  /** Events of this run, by their ids here. */
  const arrived = new Set<number>();

  const hereBy = async (kind: Plural, slug: string): Promise<Told> => {
    if (kind !== 'categories' && kind !== 'tags') return to[kind].get({ slug }, { context: 'edit' });
    const { [kind]: found } = await to[kind].list({ slug, hide_empty: false });
    return found?.[0] as Told;
  };

  /** Creates the record, or finds the one that has its slug. */
  const newOrHere = async (kind: Plural, fields: object, slug: string): Promise<Arrived> => {
    try {
      return { here: await to[kind].create({ ...fields, slug }, { onlyIfNew: true }), isNew: true };
    } catch (error) {
      if (!(error instanceof KalendsError && error.status === 412)) throw error;
      return { here: await hereBy(kind, slug), isNew: false };
    }
  };

  const named = (kind: Plural, there: Told): string =>
    textOf(there.slug) || textOf(there[NEEDED[kind][0] as string]) || String(there.id);
  const tell = (kind: Plural, there: Told, message: string, partly: boolean): void =>
    void moved.problems.push({ kind, name: named(kind, there), partly, message });

  const eventOrHere = async (there: Told, fields: object): Promise<Arrived> => {
    let found: Arrived | undefined;
    for (const slug of slugsFor(there)) {
      found = await newOrHere('events', fields, slug);
      // If an event of this run has the slug, this is another date of the series.
      if (found.isNew || found.here.start_date === there.start_date || !arrived.has(found.here.id)) break;
    }
    const { here, isNew } = found as Arrived;
    if (!isNew && here.start_date !== there.start_date)
      tell('events', there, `It already exists here with another date, ${here.start_date}, which was kept.`, true);
    arrived.add(here.id);
    return { here, isNew };
  };

  /** With another name or city, only the slug is shared; if it was imported before, creating it finds it (D9). */
  const linkedOrHere = async (kind: 'venues' | 'organizers', there: Told, fields: object): Promise<Arrived> => {
    const found = await newOrHere(kind, fields, there.slug);
    const [name] = NEEDED[kind] as [string];
    const plain = (value: unknown): string => plainText(textOf(value)).toLowerCase();
    if (found.isNew || [name, 'city'].every((member) => plain(found.here[member]) === plain(there[member])))
      return found;
    const search = `"${plainText(textOf(there[name]))}"`;
    const { [kind]: before } = await to[kind].list({ search, per_page: 50 });
    const here = await to[kind].create(fields);
    return { here, isNew: !before?.some(({ id }) => id === here.id) };
  };

  const make = async (kind: Plural, there: Told, without: readonly string[]): Promise<void> => {
    // Ids of authors and parents mean something else here; unknown members are ignored.
    const { id, slug, author, date, parent, post_parent, image, ...rest } = there;
    const picture = without.includes('image') ? '' : pictureOf(there);
    const fields = Object.fromEntries(Object.entries(rest).filter(([name]) => !without.includes(name)));
    const given = picture ? { ...fields, image: picture } : fields;
    const { here, isNew } =
      kind === 'events'
        ? await eventOrHere(there, { ...given, ...exactTimes(there) })
        : kind === 'venues' || kind === 'organizers'
          ? await linkedOrHere(kind, there, given)
          : await newOrHere(kind, given, slug);
    came[kind].set(id, { id: here.id, isNew, above: aboveOf(there) });
    moved[isNew ? 'made' : 'present'][kind]++;
    // The picture could not be fetched when the record was created.
    if (picture && !isNew && !here.image) await to[kind].update(here.id, { image: picture });
  };

  const record = async (kind: Plural, there: Told): Promise<void> => {
    if (textOf(there.slug) === '' && !came[kind].has(there.id)) {
      tell(kind, there, 'It has no slug.', false);
      came[kind].set(there.id, undefined);
    }
    const without: string[] = [];
    while (!came[kind].has(there.id)) {
      try {
        await make(kind, there, without);
      } catch (error) {
        const { params, message } = refusedIn(error);
        const refused = Object.keys(params).filter((name) => !without.includes(name));
        const spare = refused.length > 0 && refused.every((name) => !NEEDED[kind].includes(name));
        tell(kind, there, refused.map((name) => params[name]).join(' ') || message, spare);
        if (spare) without.push(...refused);
        else came[kind].set(there.id, undefined);
      }
    }
  };

  const idsOf = async (kind: Plural, told: unknown): Promise<number[]> => {
    const records = linkedIn(told);
    for (const one of records) await record(kind, one);
    return records.flatMap(({ id }) => came[kind].get(id)?.id ?? []);
  };

  const event = async (there: Told): Promise<void> => {
    if (there.all_day === null) {
      moved.closed++;
      return;
    }
    await record('events', {
      ...there,
      cost: costOf(there, sign),
      website: there.website === there.url ? '' : there.website,
      venue: await idsOf('venues', there.venue),
      organizer: await idsOf('organizers', there.organizer),
      categories: await idsOf('categories', there.categories),
      tags: await idsOf('tags', there.tags),
    });
  };

  /** Gives new records the parents that they had on the other site, now that all are here. */
  const placed = async (): Promise<void> => {
    for (const [kind, member] of [
      ['categories', 'parent'],
      ['events', 'post_parent'],
    ] as const) {
      for (const [there, one] of came[kind]) {
        const above = one?.isNew && came[kind].get(one.above)?.id;
        if (!one || !above) continue;
        await to[kind].update(one.id, { [member]: above }).catch((error: unknown) => {
          const { params, message } = refusedIn(error);
          const reasons = Object.values(params).join(' ');
          moved.problems.push({ kind, name: String(there), partly: true, message: reasons || message });
        });
      }
    }
  };

  return { record, event, placed };
}
