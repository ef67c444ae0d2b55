import type { Random } from './random.js';
import { API, type Site } from './site.js';
import { bytesOf, jsonOf, jsonRequest, Line } from './wire.js';

const MANY = 15;
/** The smallest picture. */
export const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Records to aim at, the same in each run: of every kind, status and protection. */
export async function addFixtures(site: Site, port: number): Promise<void> {
  const line = new Line(port);
  const post = async (path: string, body: object, as = site.users.administrator): Promise<number> => {
    const answer = await line.ask(jsonRequest('POST', API + path, as, body));
    if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${answer.body}`);
    return (jsonOf(answer) as { id: number }).id;
  };
  for (let n = 0; n < MANY; n++)
    await post('/venues', { venue: PLACES[n] ?? `Venue ${n}`, city: 'Ulm', geo_lat: 48.4 + n, geo_lng: 9.99 });
  for (let n = 0; n < MANY; n++) await post('/organizers', { organizer: `Organizer ${n}` });
  const music = await post('/categories', { name: 'Music' });
  await post('/categories', { name: 'Jazz', parent: music });
  for (let n = 2; n < MANY; n++) await post('/categories', { name: `Category ${n}` });
  for (let n = 0; n < MANY; n++) await post('/tags', { name: ['one', 'two'][n] ?? `tag ${n}` });
  for (let n = 0; n < MANY * 2; n++) {
    const status = STATUSES[n % STATUSES.length];
    await post(
      '/events',
      {
        title: `Event ${n + 1}`,
        start_date: `2031-0${(n % 9) + 1}-01 10:00:00`,
        end_date: `2031-0${(n % 9) + 1}-01 12:00:00`,
        status,
        venue: n % 2 ? [1] : [1, 2],
        organizer: MANY + 1,
        categories: 'Jazz',
        tags: ['one', 'two'],
        ...(status === 'future' ? { date: '2030-01-01' } : {}),
        ...(n % 7 === 6 ? { password: 'open sesame' } : {}),
      },
      n % 3 ? site.users.author : site.users.administrator,
    );
  }
  for (let n = 0; n < MANY; n++) {
    const headers = [['Authorization', site.users.author] as const, ['Content-Type', 'image/png'] as const];
    const answer = await line.ask(bytesOf({ method: 'POST', target: `${API}/media`, headers, body: DOT }));
    if (answer.status !== 201) throw new Error(`POST /media answered ${answer.status}: ${answer.body}`);
  }
  line.close();
}

const STATUSES = ['publish', 'publish', 'draft', 'private', 'pending', 'future', 'publish', 'publish'];
const PLACES = ['Town hall', 'Zoo'];

/** The first and the last id of each kind: events, venues, organizers and pictures share one row of numbers. */
const RANGES: Record<string, readonly [number, number]> = {
  venues: [1, MANY],
  organizers: [MANY + 1, MANY * 2],
  events: [MANY * 2 + 1, MANY * 4],
  media: [MANY * 4 + 1, MANY * 5],
  categories: [2, MANY + 1],
  tags: [MANY + 2, MANY * 2 + 1],
};

/** An id for this path, mostly of a record that was there at the start; `index` is how far the run is. */
export function idFor(random: Random, path: string, index: number): number {
  const range = RANGES[/^\/([a-z]+)/.exec(path)?.[1] ?? ''];
  if (range && random.chance(0.7)) return random.int(...range);
  return random.int(1, MANY * 5 + Math.floor(index / 25));
}
