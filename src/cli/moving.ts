import { type Client, KalendsError, type Records } from '../client/client.js';

/** Brings what another site with this interface shows to anybody, record by record; what is here by its slug stays. */

const PLURALS = ['categories', 'tags', 'venues', 'organizers', 'events'] as const;
export type Plural = (typeof PLURALS)[number];

export interface Moved {
  /** How many of each kind are new here. */
  made: Record<Plural, number>;
  /** How many were here by their slug. */
  present: Record<Plural, number>;
  problems: Problem[];
}

export interface Problem {
  kind: Plural;
  slug: string;
  /** Came, but without its picture. */
  partly: boolean;
  message: string;
}

/** Of what a site tells of a record, what matters here. */
interface Told {
  id: number;
  slug: string;
  /** Of a category: the one above it. */
  parent?: number;
  post_parent?: number;
  image?: { url: string } | false;
  [member: string]: unknown;
}

interface ToldEvent extends Told {
  url: string;
  website: string;
  start_date: string;
  /** Of what a password hides: null. */
  all_day: boolean | null;
  venue: Told | Told[];
  organizer: Told[];
  categories: Told[];
  tags: Told[];
}

interface Page {
  total: number;
  next_rest_url?: string;
}

/** What is the same for every kind. */
type Any = Records<{
  one: Told;
  page: Page;
  query: object;
  create: object;
  update: object;
  at: number | { slug: string };
  get: unknown;
  remove: unknown;
}>;
type Calendar = Record<Plural, Any>;

/** Here, where it was above there, and what is above it here. */
interface Came {
  id: number;
  above: number;
  now: number;
}

const LONGEST = 50;
/** Both ends are named: without an end a list stops two years ahead. */
const ALWAYS = { start_date: '2000-01-01', end_date: '2100-01-01' };
const above = ({ parent, post_parent }: Told): number => parent || post_parent || 0;
const none = (): Record<Plural, number> => ({ categories: 0, tags: 0, venues: 0, organizers: 0, events: 0 });

export type Progress = (what: string, done: number, all: number) => void;

export async function move(source: Client, target: Client, progress: Progress): Promise<Moved> {
  const [from, to] = [source, target] as unknown as [Calendar, Calendar];
  const moved: Moved = { made: none(), present: none(), problems: [] };
  const { came, bring, idsOf } = bringerTo(to, moved);

  async function all(kind: Plural, query: object, one: (there: Told) => Promise<unknown>): Promise<void> {
    let done = 0;
    for await (const page of from[kind].pages({ ...query, per_page: LONGEST })) {
      for (const there of (page as unknown as Record<Plural, Told[]>)[kind] ?? []) {
        await one(there);
        progress(kind, ++done, page.total);
      }
    }
  }
  for (const kind of ['categories', 'tags'] as const)
    await all(kind, { hide_empty: false }, (there) => bring(kind, there));
  for (const kind of ['venues', 'organizers'] as const) await all(kind, {}, (there) => bring(kind, there));
  const slugs = new Set<string>();
  await all('events', ALWAYS, async (there) => {
    const event = there as ToldEvent;
    if (event.all_day === null) return;
    // The dates of a series may share one slug.
    const slug = slugs.has(event.slug) ? `${event.slug}-${event.start_date.slice(0, 10)}` : event.slug;
    slugs.add(slug);
    await bring('events', {
      ...event,
      slug,
      cost: costOf(event),
      website: event.website === event.url ? '' : event.website,
      venue: await idsOf('venues', [event.venue].flat()),
      organizer: await idsOf('organizers', event.organizer),
      categories: await idsOf('categories', event.categories),
      tags: await idsOf('tags', event.tags),
    });
  });
  // What stands below another one, now that all are here.
  for (const [kind, member] of [
    ['categories', 'parent'],
    ['events', 'post_parent'],
  ] as const) {
    for (const one of came[kind].values()) {
      const id = came[kind].get(one?.above ?? 0)?.id;
      if (one && id !== undefined && id !== one.now) await to[kind].update(one.id, { [member]: id });
    }
  }
  return moved;
}

function bringerTo(to: Calendar, moved: Moved) {
  /** By their ids there; undefined where they were refused. */
  const came = Object.fromEntries(PLURALS.map((kind) => [kind, new Map()])) as Record<
    Plural,
    Map<number, Came | undefined>
  >;

  const bySlug = async (kind: Plural, slug: string): Promise<Told> => {
    if (kind !== 'categories' && kind !== 'tags') return to[kind].get({ slug });
    const found = await to[kind].list({ slug, hide_empty: false });
    return (found as unknown as Record<Plural, [Told]>)[kind][0];
  };
  const make = async (kind: Plural, there: Told): Promise<void> => {
    // Ids of authors and of what is above mean something else here; members that are not known here are ignored.
    const { id, author, date, parent, post_parent, image, ...fields } = there;
    const picture = image ? { image: image.url } : {};
    let here: Told;
    try {
      here = await to[kind].create({ ...fields, ...picture }, { onlyIfNew: true });
      moved.made[kind]++;
    } catch (error) {
      if (!(error instanceof KalendsError && error.status === 412)) throw error;
      here = await bySlug(kind, there.slug);
      // It could not be had then.
      if (image && !here.image) await to[kind].update(here.id, picture);
      moved.present[kind]++;
    }
    came[kind].set(id, { id: here.id, above: above(there), now: above(here) });
  };
  /** What is refused is told, and the others come. */
  const bring = async (kind: Plural, there: Told): Promise<void> => {
    const told = (error: unknown, partly: boolean): void => {
      if (!(error instanceof KalendsError && error.status < 500)) throw error;
      const reasons = Object.values(error.params ?? {});
      const message = reasons.length > 0 ? reasons.join(' ') : error.message;
      moved.problems.push({ kind, slug: there.slug, partly, message });
    };
    try {
      await make(kind, there);
    } catch (error) {
      const isPicture = error instanceof KalendsError && error.params?.image !== undefined;
      told(error, isPicture);
      if (isPicture) await make(kind, { ...there, image: false }).catch((again: unknown) => told(again, false));
    }
    if (!came[kind].has(there.id)) came[kind].set(there.id, undefined);
  };
  const idsOf = async (kind: Plural, records: Told[]): Promise<number[]> => {
    for (const one of records) if (!came[kind].has(one.id)) await bring(kind, one);
    return records.flatMap(({ id }) => came[kind].get(id)?.id ?? []);
  };
  return { came, bring, idsOf };
}

interface Priced {
  cost: string;
  cost_details: { currency_symbol: string; currency_position: string; values: string[] };
}

/** Prices one by one, each with its sign, since a range loses it; words as they are told. */
function costOf(event: Told): string | string[] {
  const { cost, cost_details } = event as unknown as Priced;
  const { currency_symbol: sign, currency_position: at, values } = cost_details;
  if (values.length === 1 && !cost.includes(values[0] as string)) return cost;
  const signed = (amount: string): string => (at === 'postfix' ? amount + sign : sign + amount);
  return values.map((value) => (Number.isNaN(Number(value)) ? value : signed(value)));
}
