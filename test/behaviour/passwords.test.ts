import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { behaviour, makeEvent, must, newEvent, rows, unique } from '../support/rows.js';
import type { RoleName } from '../support/server.js';

const KINDS: Record<string, (more: object) => object> = {
  events: (more) => newEvent({ ...more }),
  venues: (more) => ({ venue: unique('Venue'), ...more }),
  organizers: (more) => ({ organizer: unique('Organizer'), ...more }),
};

behaviour('who may read what (E3, E4)', async (s) => {
  describe('reading what is protected or not published (E3)', async () => {
    const open = { description: 'Inside', cost: '99', venue: { venue: 'Hideout' } };
    const locked = await makeEvent(s, { ...open, password: 'key', title: 'Locked' }, 'author');
    const draft = await makeEvent(s, { password: 'key', status: 'draft' }, 'author');
    const who: (RoleName | undefined)[] = [undefined, 'subscriber', 'contributor', 'author', 'editor', 'admin'];
    const shut = { status: 403, code: 'event-password-protected', lacks: ['Inside', 'Hideout'] };
    for (const as of who) {
      const name = as ?? 'anonymous';
      const mayEdit = ['author', 'editor', 'admin'].includes(name);
      const bySlug = as === undefined || as === 'editor' ? [`/events/by-slug/${locked.slug}`] : [];
      for (const at of [`/events/${locked.id}`, ...bySlug]) {
        rows(s, [
          { ...shut, name: `E3 ${name}, no word, ${at}`, ask: `GET ${at}`, as },
          { ...shut, name: `E3 ${name}, a wrong word, ${at}`, ask: `GET ${at}?password=Key`, as },
          {
            name: `E3 ${name}, the word, ${at}`,
            ask: `GET ${at}?password=key`,
            as,
            status: 200,
            has: ['Inside'],
            shows: { json_ld: undefined },
          },
          mayEdit
            ? { name: `E3 ${name}, to edit, ${at}`, ask: `GET ${at}?context=edit`, as, status: 200, has: ['Inside'] }
            : { ...shut, name: `E3 ${name}, to edit, ${at}`, ask: `GET ${at}?context=edit`, as },
        ]);
      }
      rows(s, [
        {
          name: `E3 ${name} and a draft: what is not readable is not asked for a word`,
          ask: `GET /events/${draft.id}`,
          as,
          status: 403,
          code: mayEdit ? 'event-password-protected' : 'event-not-accessible',
        },
      ]);
    }
    const accented = await makeEvent(s, { password: 'Caf\u00e9 n\u0303' });
    const plain = await makeEvent(s);
    rows(s, [
      ...['Caf\u00e9 \u00f1', 'Cafe\u0301 n\u0303'].map((password) => ({
        name: `a word with accents opens however they were typed: ${encodeURI(password)}`,
        ask: `GET /events/${accented.id}`,
        query: { password },
        status: 200,
      })),
      { ...shut, name: 'but not without them', ask: `GET /events/${accented.id}?password=Cafe+n` },
      { name: 'an empty word by slug is none', ask: `GET /events/by-slug/${plain.slug}?password=`, status: 200 },
      { ...shut, name: 'and opens nothing', ask: `GET /events/by-slug/${locked.slug}?password=` },
      { name: 'so it is in a list', ask: 'GET /events?password=', status: 200 },
      { name: 'by id it is refused', ask: `GET /events/${plain.id}?password=`, status: 400 },
    ]);
    for (const plural of ['events', 'venues', 'organizers']) {
      for (const status of ['draft', 'pending', 'private']) {
        const record = await must(s.post(`/${plural}`, KINDS[plural]?.({ status }), 'author'));
        const code = `${plural.slice(0, -1)}-not-accessible`;
        rows(
          s,
          who.map((as) => ({
            name: `E3 ${as ?? 'anonymous'} reads another's ${status} of ${plural}`,
            ask: `GET /${plural}/${record.id}`,
            as,
            ...(as === 'author' || as === 'editor' || as === 'admin' ? { status: 200 } : { status: 403, code }),
          })),
        );
      }
    }
  });

  describe('lists with protected events (E4)', async () => {
    const details = {
      description: 'Inside',
      excerpt: 'Short',
      // No number of a port looks like it.
      cost: '8642.97',
      website: 'https://in.example',
      featured: true,
      all_day: true,
      categories: ['Arcana'],
      tags: ['arcane'],
      venue: { venue: 'Lair' },
      organizer: [{ organizer: 'Wizard' }],
      tickets: [{ name: 'Rune' }],
    };
    const one = await makeEvent(s, { ...details, title: 'One', password: 'alpha' }, 'editor');
    const two = await makeEvent(s, { title: 'Two', description: 'Second', password: 'alpha' }, 'author');
    const three = await makeEvent(s, { title: 'Three', description: 'Third', password: 'gamma' }, 'editor');
    const include = [one.id, two.id, three.id].join(',');
    const described = async (query: object, as?: RoleName): Promise<string[]> =>
      (await must(s.get('/events', { include, ...query }, as), 200)).events.map(
        (e: { description: string }) => e.description,
      );
    rows(s, [
      {
        name: 'E4 nothing of the inside leaves',
        ask: `GET /events?include=${include}`,
        as: 'admin',
        status: 200,
        shows: { total: 3 },
        lacks: [
          'Inside',
          'Short',
          '8642.97',
          'in.example',
          'Arcana',
          'arcane',
          'Lair',
          'Wizard',
          'Rune',
          'Second',
          'Third',
        ],
      },
    ]);
    rows(s, [
      {
        name: 'E5 a word that is no text is refused by the list too',
        ask: `GET /events?include=${include}&password[]=alpha`,
        status: 400,
        code: 'rest_invalid_param',
        params: ['password'],
      },
    ]);
    test('E4 the redacted form, member by member', async () => {
      const open = await must(s.get(`/events/${one.id}`, { password: 'alpha' }), 200);
      const shut = (await must(s.get('/events', { include: one.id }), 200)).events[0];
      const redacted = {
        description: '',
        excerpt: '',
        image: false,
        all_day: null,
        cost: '',
        cost_details: { currency_symbol: '', currency_position: '', currency_code: '', values: [] },
        website: '',
        show_map: null,
        show_map_link: null,
        hide_from_listings: null,
        sticky: null,
        featured: null,
        categories: [],
        tags: [],
        venue: [],
        organizer: [],
        custom_fields: [],
      };
      const { tickets, ticketed, json_ld, ...rest } = open;
      assert.deepEqual(shut, { ...rest, ...redacted });
      assert.deepEqual(Object.keys(shut), Object.keys(rest));
    });
    test('E4 the word opens all events that share it, and no others', async () => {
      assert.deepEqual(await described({ password: 'alpha' }), ['<p>Inside</p>', '<p>Second</p>', '']);
      assert.deepEqual(await described({ password: 'gamma' }), ['', '', '<p>Third</p>']);
      assert.deepEqual(await described({ password: 'delta' }), ['', '', '']);
    });
    test('E4 context=edit opens what the caller may edit', async () => {
      assert.deepEqual(await described({ context: 'edit' }, 'author'), ['', '<p>Second</p>', '']);
      assert.deepEqual(await described({ context: 'edit' }, 'editor'), [
        '<p>Inside</p>',
        '<p>Second</p>',
        '<p>Third</p>',
      ]);
      assert.deepEqual(await described({ context: 'edit' }), ['', '', '']);
    });
    describe('filters by what is inside find it for its author, for editors, and for those who have the word', async () => {
      const parent = await makeEvent(s);
      const full = await makeEvent(
        s,
        { ...details, venue: { venue: unique('Den'), geo_lat: 3, geo_lng: 4 }, post_parent: parent.id, password: 'x' },
        'author',
      );
      const bare = await makeEvent(s, { password: 'x' }, 'author');
      const asked: [id: number, query: Record<string, unknown>][] = [
        [full.id, { categories: 'arcana' }],
        [full.id, { tags: 'arcane' }],
        [full.id, { venue: full.venue.id }],
        [full.id, { organizer: full.organizer[0].id }],
        [full.id, { featured: true }],
        [bare.id, { featured: false }],
        [full.id, { ticketed: true }],
        [bare.id, { ticketed: false }],
        [full.id, { geoloc: true }],
        [bare.id, { geoloc: false }],
        [full.id, { geoloc_lat: 3, geoloc_lng: 4 }],
        [full.id, { post_parent: parent.id }],
      ];
      for (const [id, query] of asked) {
        test(`E4 ${JSON.stringify(query)}`, async () => {
          for (const [as, total] of [
            [undefined, 0],
            ['subscriber', 0],
            ['contributor', 0],
            ['author', 1],
            ['editor', 1],
          ] as const)
            assert.equal((await must(s.get('/events', { include: id, ...query }, as), 200)).total, total, as);
          for (const as of [undefined, 'subscriber'] as const)
            for (const [password, total] of [
              ['x', 1],
              ['y', 0],
              ['alpha', 0],
            ] as const) {
              const asked = { include: id, ...query, password };
              assert.equal((await must(s.get('/events', asked, as), 200)).total, total, `${as} ${password}`);
            }
        });
      }
    });
  });
});
