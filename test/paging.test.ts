import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import {
  byName,
  type Calendar,
  calendar,
  checkWalk,
  chosen,
  DAY,
  eventSpec,
  type Filters,
  filters,
  idsOf,
  inOrder,
  made,
  NOON,
  newestFirst,
  perPage,
  queryOf,
  walk,
  wall,
} from './paging.calendar.js';

/**
 * Walking a list gives each record of the selection once, in the order of B13, whoever else writes: that is promised
 * for records before which nothing was put in or taken away while the walk went on. A page is a number, so a record
 * that is inserted before the place reached moves the rest on by one: then one is seen twice, and still none is missed.
 */

test('walking all pages gives each record once, in order, for random calendars and filters (B2, B3, B13)', async () => {
  let walks = 0;
  const lists = fc.array(fc.tuple(filters, perPage), { minLength: 4, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(eventSpec, { maxLength: 40, size: 'max' }),
      lists,
      perPage,
      async (specs, asked, size) => {
        const c = await calendar(specs);
        try {
          await checkWalk(c, 'events', new URLSearchParams(), size, inOrder(c.events));
          for (const [f, n] of asked) await checkWalk(c, 'events', queryOf(c, f), n, inOrder(chosen(c, f)));
          await checkWalk(c, 'venues', new URLSearchParams(), size, newestFirst(c.venues));
          const held = c.venues.filter((_, at) => c.events.some((e) => e.venue === at));
          await checkWalk(c, 'venues', new URLSearchParams('has_events=true'), size, newestFirst(held));
          for (const kind of ['categories', 'tags'] as const) {
            const field = kind === 'tags' ? 'tag' : 'category';
            await checkWalk(c, kind, new URLSearchParams('hide_empty=false'), size, byName(c[kind]));
            const used = c[kind].filter((_, at) => c.events.some((e) => e[field] === at));
            await checkWalk(c, kind, new URLSearchParams(), size, byName(used));
            const down = new URLSearchParams('hide_empty=false&order=desc');
            await checkWalk(c, kind, down, size, byName(c[kind]).reverse());
          }
          walks += 9 + asked.length;
        } finally {
          await c.server.close();
        }
      },
    ),
    { numRuns: 6, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: false },
  );
  console.log(`# paging: ${walks} walks`);
  assert.ok(walks > 0);
});

describe('one calendar', () => {
  let c: Calendar;
  before(async () => {
    c = await calendar(fc.sample(eventSpec, { numRuns: 45, seed: 7 }));
  });
  after(() => c.server.close());

  test('writes elsewhere do not disturb a walk (B13)', async () => {
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 1, max: 5 }), async (f, n) => {
        const mine: Filters = { ...f, category: undefined, word: f.word ?? 'alpha' };
        const expected = inOrder(chosen(c, mine));
        let writes = 0;
        const { ids } = await walk(c.server, 'events', queryOf(c, mine), n, async () => {
          writes++;
          const others: Promise<unknown>[] = [
            made(c.server, '/venues', { venue: `Elsewhere ${Math.random()}` }),
            made(c.server, '/tags', { name: `elsewhere ${Math.random()}` }),
            made(c.server, '/events', {
              title: 'Other things',
              start_date: NOON + DAY,
              end_date: NOON + DAY,
              status: writes % 2 ? 'draft' : 'publish',
            }),
          ];
          const [victim] = (await c.server.get('/events', 'search=other things&per_page=1')).json.events;
          if (victim) others.push(c.server.del(`/events/${victim.id}`, 'admin'));
          await Promise.all(others);
        });
        assert.deepEqual(ids, expected);
        assert.ok(writes > 0);
      }),
      { numRuns: 8 },
    );
  });

  test('records that come in behind the place reached appear once, and nothing is lost (B13)', async () => {
    const { server } = c;
    const later: number[] = [];
    const query = new URLSearchParams('search=evening');
    const { ids } = await walk(server, 'events', query, 4, async () => {
      if (later.length >= 12) return;
      const at = NOON + (20 + later.length) * DAY;
      later.push(await made(server, '/events', { title: 'late evening', start_date: at, end_date: at }));
    });
    assert.deepEqual(ids, [...inOrder(c.events), ...later]);

    const [old, older]: [number[], number[]] = [[], []];
    for (let n = 0; n < 9; n++) old.push(await made(server, '/organizers', { organizer: `Org ${n}` }));
    const walked = await walk(server, 'organizers', new URLSearchParams('search=org'), 2, async () => {
      if (older.length >= 4) return;
      const date_utc = wall(NOON - (100 + older.length) * DAY);
      older.push(await made(server, '/organizers', { organizer: `Org old ${older.length}`, date_utc }));
    });
    assert.deepEqual(walked.ids, [...old.reverse(), ...older]);
    for (const id of later) await server.del(`/events/${id}`, 'admin', { force: true });
  });

  test('records that come in before the place reached may repeat one, and lose none', async () => {
    const { server } = c;
    const early: number[] = [];
    const { ids } = await walk(server, 'events', new URLSearchParams('search=evening'), 5, async () => {
      if (early.length >= 6) return;
      early.push(await made(server, '/events', { title: 'early evening', start_date: NOON, end_date: NOON }));
    });
    const known = new Set(c.events.map(({ id }) => id));
    assert.deepEqual([...new Set(ids.filter((id) => known.has(id)))], inOrder(c.events));
    for (const id of early) await server.del(`/events/${id}`, 'admin', { force: true });
  });

  const NAMES: Record<string, string[]> = {
    events:
      'page per_page start_date end_date starts_before starts_after ends_before ends_after strict_dates search categories tags venue organizer featured status geoloc geoloc_lat geoloc_lng include post_parent ticketed geoloc_distance'.split(
        ' ',
      ),
    venues: 'page per_page search event has_events only_with_upcoming status'.split(' '),
    organizers: 'page per_page search event has_events only_with_upcoming status'.split(' '),
    categories: 'page per_page search exclude include order orderby hide_empty parent post event slug'.split(' '),
    tags: 'page per_page search exclude include order orderby hide_empty post event slug'.split(' '),
  };
  const EVERYWHERE = ['_fields', '_envelope', 'context', 'unknown', 'password', '__proto__', 'constructor'];
  const value = fc.oneof(
    fc.constantFrom('', '0', '1', '2', '-1', '3.5', '1e3', '9007199254740993', '99999999999999999999', 'NaN', 'true'),
    fc.constantFrom(
      'false',
      'null',
      'any',
      'publish',
      'draft',
      'trash',
      'bogus',
      'asc',
      'desc',
      'name',
      'count',
      'edit',
    ),
    fc.constantFrom(
      '2030-01-01',
      '2030-02-30',
      'tomorrow',
      'now',
      '0000-00-00',
      '-271821-04-20',
      '1796119200',
      '+1 week',
    ),
    fc.constantFrom(
      'alpha',
      '"alpha evening"',
      '-beta',
      '"',
      '""',
      '-',
      '*',
      'a"b',
      'ß',
      '日本',
      '😀',
      'İ',
      '\u0000',
      '%',
      '%zz',
    ),
    fc.constantFrom('1,2', ',', '1,,2', 'alpha,BETA', '90', '-180', '90.1', '20038', "'; DROP TABLE event; --", '{x}'),
    fc.integer().map(String),
    fc.string({ maxLength: 12, unit: 'grapheme' }),
  );
  /** Values that are good ones, so that lists are often shown and their links followed. Venues have the ids 1 to 4. */
  const GOOD: Record<string, string[]> = {
    page: ['1', '2'],
    per_page: ['1', '3', '100'],
    search: ['evening', 'alpha', 'hall', 'a -b', '"beta evening"'],
    categories: ['alpha', 'Beta,gamma', 'delta'],
    tags: ['gamma', 'BETA'],
    venue: ['1', '1,2', '3'],
    featured: ['true', 'false', '1'],
    ticketed: ['false', 'true'],
    geoloc: ['true', 'false'],
    status: ['publish', 'any', 'draft', 'publish,draft'],
    strict_dates: ['true', '1'],
    include: ['1', '5,6,7,8,9'],
    exclude: ['alpha', 'beta,gamma'],
    event: ['5', '6', '7'],
    post: ['5', '6', '8'],
    has_events: ['true', 'false'],
    only_with_upcoming: ['true'],
    hide_empty: ['false', 'true'],
    order: ['desc', 'asc'],
    orderby: ['slug', 'count', 'id', 'include', 'none'],
    parent: ['0'],
    slug: ['alpha', 'Beta'],
    ...Object.fromEntries(
      ['start_date', 'end_date', 'starts_before', 'starts_after', 'ends_before', 'ends_after'].map((name) => [
        name,
        [wall(NOON + 2 * DAY), wall(NOON + 4 * DAY), `${wall(NOON + 3 * DAY)}Z`, String(NOON + 5 * DAY)],
      ]),
    ),
  };
  const valueFor = (name: string): fc.Arbitrary<[string, string, string, boolean]> => {
    const good = Object.hasOwn(GOOD, name) ? GOOD[name] : undefined;
    const any = fc.tuple(fc.constant(name), shape, value, fc.boolean());
    if (!good) return any;
    const plain = fc.tuple(fc.constant(name), fc.constant(''), fc.constantFrom(...good), fc.constant(false));
    return fc.oneof({ weight: 3, arbitrary: plain }, { weight: 1, arbitrary: any });
  };
  const shape = fc.constantFrom('', '', '', '', '[]', '[0]', '[1]', '[a]', '[a][b]', '[][]', '[__proto__]', '[', ']');
  const request = fc.constantFrom(...Object.keys(NAMES)).chain((plural) =>
    fc.record({
      plural: fc.constant(plural),
      pairs: fc.array(fc.constantFrom(...(NAMES[plural] ?? []), ...EVERYWHERE).chain(valueFor), {
        maxLength: 5,
      }),
      who: fc.constantFrom(undefined, 'admin', 'contributor', 'subscriber' as const),
    }),
  );

  test('no list parameter, in whatever shape, gives anything but 200, 400 or 404; rest_url leads back (A10, B2)', async () => {
    const seen = new Map<number, number>();
    let back = 0;
    await fc.assert(
      fc.asyncProperty(request, async ({ plural, pairs, who }) => {
        const role = who as 'admin' | undefined;
        const query = pairs
          .flatMap(([name, brackets, text, twice]) => {
            const pair = `${encodeURIComponent(name)}${brackets}=${encodeURIComponent(text)}`;
            return twice ? [pair, pair] : [pair];
          })
          .join('&');
        const reply = await c.server.get(`/${plural}`, query, role);
        seen.set(reply.status, (seen.get(reply.status) ?? 0) + 1);
        assert.ok([200, 400, 404].includes(reply.status), `${reply.status} ${reply.text}`);
        assert.notEqual(reply.json, undefined, 'not JSON');
        if (reply.status !== 200) assert.equal(reply.json.data?.status ?? reply.json.status, reply.status);
        // What was asked in passing is not part of the selection, and changes what an answer looks like.
        if (reply.status !== 200 || /_fields|_envelope/.test(query)) return;
        back++;
        const again = await c.server.get(reply.json.rest_url, '', role);
        assert.equal(again.status, 200, `${reply.json.rest_url}: ${again.text}`);
        assert.deepEqual(idsOf(again, plural), idsOf(reply, plural), reply.json.rest_url);
        assert.equal(again.json.total, reply.json.total, reply.json.rest_url);
        assert.equal(again.json.rest_url, reply.json.rest_url);
      }),
      {
        numRuns: 1500,
        interruptAfterTimeLimit: 20_000,
        markInterruptAsFailure: false,
        // Found by earlier runs.
        examples: [
          [{ plural: 'tags', pairs: [['slug', '', '%', false]], who: undefined }],
          [
            {
              plural: 'events',
              pairs: [
                ['include', '', '1', false],
                ['starts_before', '', '2026-11-20 12:00:00', false],
                ['strict_dates', '', 'true', false],
              ],
              who: undefined,
            },
          ],
        ],
      },
    );
    console.log(`# paging: parameters ${JSON.stringify(Object.fromEntries(seen))}, ${back} led back`);
    assert.ok((seen.get(200) ?? 0) > 50 && (seen.get(400) ?? 0) > 50 && back > 50);
  });
});
