import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { behaviour, makeEvent, must, rows } from '../support/rows.js';
import type { RoleName } from '../support/server.js';

const EVER = { starts_after: '1990-01-01', per_page: 50 };

/** Places by name; the title of the event there is the same. */
const PLACES: Record<string, [lat: number, lng: number]> = {
  Paris: [48.8566, 2.3522],
  Versailles: [48.8049, 2.1204],
  'Fiji east': [-17, 179.9],
  'Fiji west': [-17, -179.9],
  'North 0': [89.9, 0],
  'North 180': [89.9, 180],
  'South 90': [-89.9, 90],
  'South -90': [-89.9, -90],
  Null: [0, 0],
  Antipode: [-48.8566, -177.6478],
};

behaviour('events by place (B14)', async (s) => {
  for (const [name, [geo_lat, geo_lng]] of Object.entries(PLACES)) {
    await makeEvent(s, { title: name, venue: { venue: name, geo_lat, geo_lng } });
  }
  await makeEvent(s, { title: 'Nowhere' });
  await makeEvent(s, { title: 'Unmapped', venue: { venue: 'Unmapped' } });
  await makeEvent(s, { title: 'Two', venue: [{ venue: 'Unmapped' }, { venue: 'Rome', geo_lat: 41.9, geo_lng: 12.5 }] });
  await makeEvent(s, { title: 'Secret', venue: { venue: 'Bunker', status: 'private', geo_lat: 60, geo_lng: 60 } });

  const found = async (query: object, as?: RoleName): Promise<string[]> => {
    const reply = await s.get('/events', { ...EVER, ...query }, as);
    assert.equal(reply.status, 200, reply.text.slice(0, 300));
    assert.equal(reply.json.total, reply.json.events.length, 'B3');
    return reply.json.events.map((event: { title: string }) => event.title).sort();
  };
  const near = (geoloc_lat: unknown, geoloc_lng: unknown, geoloc_distance?: unknown) => ({
    geoloc_lat,
    geoloc_lng,
    geoloc_distance,
  });
  const everywhere = [...Object.keys(PLACES), 'Two'].sort();

  const cases: [string, object, string[]][] = [
    ['with a place', { geoloc: true }, everywhere],
    ['without a place', { geoloc: false }, ['Nowhere', 'Secret', 'Unmapped']],
    ['25 km by default', near(48.8566, 2.3522), ['Paris', 'Versailles']],
    ['17.5 km are too few', near(48.8566, 2.3522, 17.5), ['Paris']],
    ['18.3 km are enough', near(48.8566, 2.3522, 18.3), ['Paris', 'Versailles']],
    ['0 km: the very point', near(48.8566, 2.3522, 0), ['Paris']],
    ['far away from all', near(20, -40), []],
    ['across the date line from the east', near(-17, 179.9), ['Fiji east', 'Fiji west']],
    ['across the date line from the west', near(-17, -179.9), ['Fiji east', 'Fiji west']],
    ['on the date line, written either way', near(-17, 180, 11), ['Fiji east', 'Fiji west']],
    ['on the date line, written the other way', near(-17, -180, 11), ['Fiji east', 'Fiji west']],
    ['21 km do not cross it', near(-17, 179.9, 21), ['Fiji east']],
    ['22 km do', near(-17, 179.9, 22), ['Fiji east', 'Fiji west']],
    ['over the north pole', near(89.9, 0, 23), ['North 0', 'North 180']],
    ['not quite over the north pole', near(89.9, 0, 22), ['North 0']],
    ['at the north pole the longitude means nothing', near(90, 123, 12), ['North 0', 'North 180']],
    ['at the south pole', near(-90, -47.5, 12), ['South -90', 'South 90']],
    ['over the south pole', near(-89.9, 90, 23), ['South -90', 'South 90']],
    ['zero is a place', near(0, 0), ['Null']],
    ['numbers as text', near('48.8566', '2.3522', '18.3'), ['Paris', 'Versailles']],
    ['all of the Earth', near(48.8566, 2.3522, 20_037), everywhere],
    ['not the antipode', near(48.8566, 2.3522, 19_990), everywhere.filter((name) => name !== 'Antipode')],
    ['one venue of several', near(41.9, 12.5, 1), ['Two']],
    ['with another filter', { ...near(48.8566, 2.3522), search: 'paris' }, ['Paris']],
    ['both kinds of filter', { ...near(48.8566, 2.3522), geoloc: false }, []],
    ['a venue that may not be read', near(60, 60), []],
  ];
  describe('selections', () => {
    for (const [name, query, wanted] of cases) {
      test(`B14 ${name}`, async () => assert.deepEqual(await found(query), wanted));
    }
    test('B14 E2 a private venue counts for who may read it', async () => {
      assert.deepEqual(await found(near(60, 60), 'editor'), ['Secret']);
      assert.deepEqual(await found(near(60, 60), 'author'), []);
      assert.ok((await found({ geoloc: true }, 'admin')).includes('Secret'));
      assert.ok(!(await found({ geoloc: false }, 'admin')).includes('Secret'));
    });
    test('B2 links keep the place', async () => {
      const first = await must(s.get('/events', { ...EVER, ...near(48.8566, 2.3522, 18.3), per_page: 1 }), 200);
      assert.equal(first.total, 2);
      const second = await must(s.get(first.next_rest_url), 200);
      assert.deepEqual([second.total, second.events.length, second.next_rest_url], [2, 1, undefined]);
    });
  });

  describe('bad values', () => {
    const bad: [string, Record<string, unknown>, string | undefined][] = [
      ['latitude alone', { geoloc_lat: 1 }, undefined],
      ['longitude alone', { geoloc_lng: 1 }, undefined],
      ['latitude above 90', near(90.01, 0), 'geoloc_lat'],
      ['latitude below -90', near(-90.01, 0), 'geoloc_lat'],
      ['longitude above 180', near(0, 180.5), 'geoloc_lng'],
      ['longitude below -180', near(0, -181), 'geoloc_lng'],
      ['latitude no number', near('north', 0), 'geoloc_lat'],
      ['longitude empty', near(0, ''), 'geoloc_lng'],
      ['NaN', near('NaN', 0), 'geoloc_lat'],
      ['negative distance', near(0, 0, -1), 'geoloc_distance'],
      ['distance no number', near(0, 0, 'far'), 'geoloc_distance'],
    ];
    rows(
      s,
      bad.map(([name, query, param]) => ({
        name: `B14 ${name}`,
        ask: 'GET /events',
        query,
        status: 400,
        code: 'rest_invalid_param',
        ...(param ? { params: [param] } : {}),
      })),
    );
  });

  describe('coordinates of a venue (C7)', async () => {
    const venue = await must(s.post('/venues', { venue: 'Mobile', geo_lat: 10, geo_lng: '20.5' }, 'admin'));
    const at = `/venues/${venue.id}`;
    const admin = { as: 'admin', ask: `PATCH ${at}` } as const;
    rows(s, [
      { name: 'C7 shown as numbers', ask: `GET ${at}`, status: 200, shows: { geo_lat: 10, geo_lng: 20.5 } },
      {
        name: 'C7 zero is shown',
        ask: 'POST /venues',
        as: 'admin',
        json: { venue: 'Zero', geo_lat: 0, geo_lng: 0 },
        status: 201,
        shows: { geo_lat: 0, geo_lng: 0 },
      },
      {
        name: 'C7 one alone on create',
        ask: 'POST /venues',
        as: 'admin',
        json: { venue: 'Half', geo_lat: 1 },
        status: 400,
        code: 'rest_invalid_param',
      },
      { name: 'C7 latitude out of range', ...admin, json: { geo_lat: 91 }, status: 400, params: ['geo_lat'] },
      { name: 'C7 longitude out of range', ...admin, json: { geo_lng: -180.1 }, status: 400, params: ['geo_lng'] },
      { name: 'C7 no number', ...admin, json: { geo_lat: 'x' }, status: 400, params: ['geo_lat'] },
      { name: 'C7 clearing one alone', ...admin, json: { geo_lat: '' }, status: 400, code: 'rest_invalid_param' },
      {
        name: 'C7 one alone, when there are two',
        ...admin,
        json: { geo_lat: 11 },
        status: 200,
        shows: { geo_lat: 11, geo_lng: 20.5 },
      },
    ]);
    test('B14 the filter follows a venue that moves, goes to the trash, comes back, and is taken off the map', async () => {
      await makeEvent(s, { title: 'Mobile', venue: venue.id });
      const title = ['Mobile'];
      await must(s.patch(at, { geo_lat: -30, geo_lng: 30 }, 'admin'), 200);
      assert.deepEqual(await found(near(11, 20.5)), []);
      assert.deepEqual(await found(near(-30, 30)), title);
      await must(s.del(at, 'admin'), 200);
      assert.deepEqual(await found(near(-30, 30)), []);
      assert.ok((await found({ geoloc: false })).includes('Mobile'));
      await must(s.patch(at, { status: 'publish' }, 'admin'), 200);
      assert.deepEqual(await found(near(-30, 30)), title);
      const cleared = await must(s.patch(at, { geo_lat: '', geo_lng: '' }, 'admin'), 200);
      assert.equal('geo_lat' in cleared || 'geo_lng' in cleared, false);
      assert.deepEqual(await found(near(-30, 30)), []);
    });
  });
});
