import { type Random, randomOf } from '../test/tools/random.js';
import { RARE, text, title } from './words.js';

/** A calendar of any size, the same for the same seed and the same day: records as the interface takes them. */

export interface DataSet {
  events: number;
  seed: number;
  /** Seconds since 1970 UTC of a midnight. */
  today: number;
  /** 5,000 unless said. */
  tags?: number;
}

type Given = Record<string, unknown>;
const DAY = 86_400;
const TOP_LEVEL = 12;
const SECOND_LEVEL = 6;
const THIRD_LEVEL = 3;
const TAGS = 5000;
/** Events that carry the rare category, the rare tag and the rare word, whatever the size. */
const FEW = 25;

export const placesOf = ({ events }: DataSet): number => Math.max(10, Math.round(events * 0.02));

/** 12 at the top, 6 below each of them, 3 below each of those: 300. `under`: the place of the parent in the list. */
export function categories(): { given: Given; under?: number }[] {
  const made: { given: Given; under?: number }[] = [];
  const random = randomOf(2, 1);
  const add = (name: string, under?: number): number =>
    made.push({
      given: { name, description: `Everything about ${title(random).toLowerCase()}.` },
      ...(under === undefined ? {} : { under }),
    }) - 1;
  for (let a = 1; a <= TOP_LEVEL; a++) {
    const top = add(`Field ${a}`);
    for (let b = 1; b <= SECOND_LEVEL; b++) {
      const second = add(`Field ${a}, part ${b}`, top);
      for (let c = 1; c <= THIRD_LEVEL; c++) add(`Field ${a}, part ${b}, subject ${c}`, second);
    }
  }
  return made;
}

export const tags = (set: DataSet): Given[] =>
  Array.from({ length: set.tags ?? TAGS }, (_, n) => ({ name: `topic ${n + 1}` }));

const CITIES = [
  ['Berlin', 'Germany', 52.52, 13.405],
  ['Lisbon', 'Portugal', 38.722, -9.139],
  ['Osaka', 'Japan', 34.694, 135.502],
  ['Nairobi', 'Kenya', -1.286, 36.817],
  ['Montréal', 'Canada', 45.509, -73.554],
  ['Suva', 'Fiji', -18.141, 178.442],
] as const;
/** Where most venues are, and where there are three whatever the size. */
export const DENSE = { lat: 52.52, lng: 13.405 };
export const SPARSE = { lat: 64.147, lng: -21.94 };
const SPARSE_VENUES = 3;

export function venue(set: DataSet, n: number): Given {
  const random = randomOf(set.seed, 1_000_000_000 + n);
  const sparse = n < SPARSE_VENUES;
  const [city, country, lat, lng] = sparse
    ? (['Reykjavík', 'Iceland', SPARSE.lat, SPARSE.lng] as const)
    : random.chance(0.5)
      ? CITIES[0]
      : random.pick(CITIES);
  const spread = (): number => (random.next() + random.next() - 1) * 0.2;
  return {
    venue: `${title(random)} Hall ${n + 1}`,
    description: text(random, random.int(60, 200)),
    address: `${random.int(1, 200)} ${title(random)} Street`,
    city,
    country,
    province: `${city} Region`,
    zip: String(random.int(10_000, 99_999)),
    phone: `+49 30 ${random.int(1_000_000, 9_999_999)}`,
    website: `https://venue-${n + 1}.example/visit`,
    geo_lat: Number((lat + spread()).toFixed(5)),
    geo_lng: Number((lng + spread()).toFixed(5)),
  };
}

export function organizer(set: DataSet, n: number): Given {
  const random = randomOf(set.seed, 2_000_000_000 + n);
  return {
    organizer: `${title(random)} Society ${n + 1}`,
    description: text(random, random.int(60, 200)),
    phone: `+49 30 ${random.int(1_000_000, 9_999_999)}`,
    email: `office@organizer-${n + 1}.example`,
    website: `https://organizer-${n + 1}.example/about`,
  };
}

const ZONES = [
  'Europe/Berlin',
  'Europe/Berlin',
  'Europe/Lisbon',
  'America/New_York',
  'Asia/Tokyo',
  'Africa/Nairobi',
  'Pacific/Fiji',
  'UTC',
];

const two = (n: number): string => String(n).padStart(2, '0');
/** Wall clock of UTC; the zone beside it makes of it what it is. */
function wall(seconds: number): string {
  const at = new Date(seconds * 1000);
  return `${at.getUTCFullYear()}-${two(at.getUTCMonth() + 1)}-${two(at.getUTCDate())} ${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:00`;
}

/** Ten years around today, a third of it in the months to come. */
function startOf(random: Random, today: number): number {
  const days = random.chance(0.33) ? -Math.log(1 - random.next()) * 45 : (random.next() - 0.5) * 3650;
  return today + Math.floor(days) * DAY + random.int(14, 44) * 1800;
}

function durationOf(random: Random, n: number): { seconds: number; allDay: boolean } {
  // One that is always there.
  if (n === 0) return { seconds: 5 * 365 * DAY, allDay: false };
  const kind = random.next();
  if (kind < 0.05) return { seconds: random.int(1, 9) * DAY, allDay: random.chance(0.5) };
  if (kind < 0.13) return { seconds: 3600, allDay: true };
  return { seconds: random.int(2, 8) * 1800, allDay: false };
}

/** The ids of what is there already, in the order in which this file made it. */
export interface Ids {
  categories: number[];
  tags: number[];
  venues: number[];
  organizers: number[];
}

/** 3% that the public does not see. */
function statusOf(random: Random): 'publish' | 'draft' | 'pending' | 'private' | 'future' {
  if (random.chance(0.97)) return 'publish';
  return random.pick(['draft', 'draft', 'pending', 'private', 'future'] as const);
}

export function event(set: DataSet, n: number, ids: Ids): Given {
  const random = randomOf(set.seed, n);
  const start = n === 0 ? set.today - 2.5 * 365 * DAY : startOf(random, set.today);
  const { seconds, allDay } = durationOf(random, n);
  const status = n === 0 ? 'publish' : statusOf(random);
  const written =
    status === 'future' ? set.today + random.int(1, 300) * DAY : Math.min(start, set.today) - random.int(1, 200) * DAY;
  // Some come again and again under the same name, and need a number in their address.
  const name = random.chance(0.01) ? `Series ${random.int(1, Math.max(1, set.events / 1000))}` : title(random);
  const rare = set.events > FEW * 4 && n % Math.floor(set.events / FEW) === 1;
  const length = 300 + Math.floor(1150 * random.next() ** 3);
  const skewed = (list: readonly number[]): number =>
    list[Math.floor(random.next() ** 2 * (list.length - 1))] as number;
  const some = (list: readonly number[], many: number): number[] => [
    ...new Set([...(rare ? [list.at(-1) as number] : []), ...Array.from({ length: many }, () => skewed(list))]),
  ];
  return {
    title: name,
    description: text(random, length) + (rare ? ` ${RARE}` : ''),
    start_date: wall(start),
    end_date: wall(start + seconds),
    timezone: random.pick(ZONES),
    all_day: allDay,
    date_utc: wall(written),
    status,
    venue: [random.pick(ids.venues)],
    organizer: Array.from({ length: random.int(1, 2) }, () => random.pick(ids.organizers)),
    categories: some(ids.categories, random.int(1, 2)),
    tags: some(ids.tags, random.int(1, 4)),
    website: `https://tickets.example/event/${n + 1}`,
    cost: random.chance(0.3) ? 'Free' : `$${random.int(5, 60)}`,
    show_map: true,
    show_map_link: true,
    featured: random.chance(0.05),
    sticky: random.chance(0.01),
    hide_from_listings: random.chance(0.005),
  };
}
