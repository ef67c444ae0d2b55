import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Db } from '../../src/db/database.js';
import { picture, upload } from '../security/support.js';
import { behaviour, makeEvent, must, newEvent } from '../support/rows.js';
import type { RoleName } from '../support/server.js';

/** Clients read a record, change one member and write all of it: what they did not touch must stay as it is. */
behaviour(
  'an event written back as it was read',
  async (s) => {
    for (const [name, given, member, shown] of [
      [
        'D12 times of sale',
        { tickets: [{ name: 'A', sale_starts: '2030-01-01 10:00', sale_ends: '2030-02-01T00:00:00+02:00' }] },
        'tickets',
        [{ name: 'A', provider: 'external', sale_starts: '2030-01-01 10:00:00', sale_ends: '2030-01-31 22:00:00' }],
      ],
      [
        'C3 an address with several parameters',
        { website: "https://x.example/?a=1&b=o'clock" },
        'website',
        'https://x.example/?a=1&amp;b=o&#039;clock',
      ],
      ['an apostrophe in the cost', { cost: "Children's ticket" }, 'cost', 'Children&#039;s ticket'],
    ] as const) {
      test(name, async () => {
        const made = await makeEvent(s, given);
        assert.deepEqual(made[member], shown);
        for (let times = 0; times < 2; times++) {
          const again = await must(
            s.ask('PATCH', `/events/${made.id}`, { as: 'admin', json: { [member]: made[member] } }),
            200,
          );
          assert.deepEqual(again[member], shown);
        }
      });
    }
  },
  { KALENDS_TIMEZONE: 'America/New_York' },
);

/** All of it, as it was read. */
behaviour('a record written back as a whole', async (s) => {
  const read = (path: string, as: RoleName = 'admin') => must(s.get(path, undefined, as), 200);
  const writeBack = async (path: string, as: RoleName = 'admin') => {
    const before = await read(path, as);
    const answer = await must(s.ask('PUT', path, { as, json: before }), 200);
    assert.equal(answer.id, before.id);
    const { modified: _m, modified_utc: _u, ...after } = await read(path, as);
    const { modified: _b, modified_utc: _c, ...was } = before;
    assert.deepEqual(after, was);
    return before;
  };
  const png = await picture(40, 30);
  const image = (await must(upload(s, png))).id;

  for (const [name, given] of [
    ['a draft has no slug', { status: 'draft' }],
    ['a picture', { image }],
    ['several costs, of which two are shown', { cost: ['0$', '20$', '30$'] }],
    ['costs with and without a price', { cost: ['Free', '10'] }],
    ['a cost of nothing', { cost: '0.00' }],
    [
      'D4 the second of two hours of the same name',
      {
        timezone: 'America/New_York',
        start_date: '2031-11-02T01:30:00-05:00',
        end_date: '2031-11-02T01:45:00-05:00',
      },
    ],
    [
      'D4 from the first of them to the second',
      {
        timezone: 'America/New_York',
        start_date: '2031-11-02T01:30:00-04:00',
        end_date: '2031-11-02T01:15:00-05:00',
      },
    ],
  ] as const) {
    test(name, async () => {
      const { id } = await makeEvent(s, given);
      await writeBack(`/events/${id}`);
      const costs = 'cost' in given ? await s.database.read((db) => costOf(db, id)) : undefined;
      if ('cost' in given) assert.deepEqual(costs, [given.cost].flat(), 'all of them are stored');
    });
  }

  test('D4 in the second of two hours of the same name only the end is moved', async () => {
    const { id } = await makeEvent(s, {
      timezone: 'Europe/Berlin',
      start_date: '2031-10-26T02:30:00+01:00',
      end_date: '2031-10-26T02:45:00+01:00',
    });
    const change = (start: string, end: string) =>
      s.patch(`/events/${id}`, { start_date: `2031-10-26 ${start}`, end_date: `2031-10-26 ${end}` }, 'admin');
    const moved = await must(change('02:30:00', '02:50:00'), 200);
    assert.deepEqual([moved.utc_start_date, moved.utc_end_date], ['2031-10-26 01:30:00', '2031-10-26 01:50:00']);
    assert.equal((await change('02:30:00', '02:20:00')).status, 400, 'before it in either hour');
  });

  for (const kind of ['venue', 'organizer'] as const)
    test(`a ${kind} with a picture`, async () => {
      const { id } = await must(s.post(`/${kind}s`, { [kind]: 'With a picture', image }, 'admin'));
      await writeBack(`/${kind}s/${id}`);
    });

  test('a slug that is there is not taken away', async () => {
    const { id } = await makeEvent(s, {});
    const reply = await s.patch(`/events/${id}`, { slug: '' }, 'admin');
    assert.equal(reply.status, 400);
    assert.deepEqual(Object.keys(reply.json.data.params), ['slug']);
  });

  test('a picture of another site is not the one of that number here', async () => {
    const shown = { id: image, url: 'https://other.example/media/0123456789abcdef0123456789abcdef.png' };
    assert.equal((await s.post('/events', newEvent({ image: shown }), 'admin')).status, 400);
    assert.equal((await makeEvent(s, { image: { id: image } })).image.id, image);
  });

  test('the picture that an editor gave to an author', async () => {
    const hidden = (await must(upload(s, await picture(50, 30)))).id;
    const { id } = await makeEvent(s, { status: 'draft' }, 'author');
    await must(s.patch(`/events/${id}`, { image: hidden }, 'editor'), 200);
    await writeBack(`/events/${id}`, 'author');
    const other = await s.post('/events', newEvent({ image: hidden }), 'contributor');
    assert.equal(other.status, 400, 'it is not shown to others');
  });

  test('an address that is none', async () => {
    const shown = { id: image, url: { toString: 1 } };
    assert.equal((await s.post('/events', newEvent({ image: shown }), 'admin')).status, 400);
  });

  test('its own page is no website, and follows its slug', async () => {
    const { id } = await makeEvent(s, {});
    await writeBack(`/events/${id}`);
    const moved = await must(s.patch(`/events/${id}`, { slug: 'moved-page' }, 'admin'), 200);
    assert.match(moved.url, /moved-page/);
    assert.equal(moved.website, moved.url);
  });

  test('D15 what is in the trash stays linked, and is back with its record', async () => {
    const [venue, one, two] = await Promise.all([
      must(s.post('/venues', { venue: 'Closed for a while' }, 'admin')),
      must(s.post('/organizers', { organizer: 'First of two' }, 'admin')),
      must(s.post('/organizers', { organizer: 'Second of two' }, 'admin')),
    ]);
    const { id } = await makeEvent(s, { venue: venue.id, organizer: [one.id, two.id] });
    for (const path of [`/venues/${venue.id}`, `/organizers/${one.id}`]) await must(s.del(path, 'admin'), 200);
    const shown = await writeBack(`/events/${id}`);
    assert.deepEqual([shown.venue, shown.organizer.length], [[], 1]);
    for (const path of [`/venues/${venue.id}`, `/organizers/${one.id}`])
      await must(s.patch(path, { status: 'publish' }, 'admin'), 200);
    const after = await read(`/events/${id}`);
    assert.deepEqual([after.venue.id, after.organizer.map(idOf)], [venue.id, [one.id, two.id]]);
    const less = await must(s.patch(`/events/${id}`, { organizer: [two.id], venue: [] }, 'admin'), 200);
    assert.deepEqual([less.venue, less.organizer.map(idOf)], [[], [two.id]], 'what is taken away goes');
  });

  test("A3 D15 an author does not unlink an editor's private venue", async () => {
    const venue = await must(s.post('/venues', { venue: 'Not for all', status: 'private' }, 'editor'));
    const { id } = await makeEvent(s, { venue: venue.id, author: s.users.author.id }, 'editor');
    await writeBack(`/events/${id}`, 'author');
    assert.equal((await read(`/events/${id}`, 'editor')).venue.id, venue.id);
  });
});

const idOf = ({ id }: { id: number }): number => id;
const costOf = async (db: Db, id: number): Promise<unknown> => {
  const row = await db.first(db.q.selectFrom('event').select('cost').where('id', '=', id));
  return JSON.parse(row?.cost ?? '');
};

behaviour('the event above (A3)', async (s) => {
  const parent = await makeEvent(s, {});
  const child = await makeEvent(s, { post_parent: parent.id });
  const told = async (as?: 'admin' | 'author'): Promise<unknown> =>
    (await s.get(`/events/${child.id}`, undefined, as)).json.post_parent;
  const listed = async (): Promise<unknown> =>
    (await s.get('/events', { include: child.id })).json.events[0].post_parent;

  test('A3 E2 is told to those who may read it, asked again and again', async () => {
    for (const [status, anybody] of [
      ['publish', parent.id],
      ['draft', undefined],
      ['publish', parent.id],
      ['private', undefined],
    ] as const) {
      await must(s.ask('PATCH', `/events/${parent.id}`, { as: 'admin', json: { status } }), 200);
      for (let times = 0; times < 3; times++) {
        assert.equal(await told(), anybody, status);
        assert.equal(await listed(), anybody, status);
        assert.equal(await told('admin'), parent.id, status);
      }
    }
  });
});
