import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { behaviour, makeEvent, must, newEvent, rows, unique } from '../support/rows.js';

behaviour('updating an event', async (s) => {
  describe('POST, PUT and PATCH are one and the same (D1)', () => {
    const change = {
      title: 'Renamed',
      description: 'Rewritten',
      timezone: 'Europe/Rome',
      all_day: true,
      cost: ['5', '9'],
      featured: true,
      tags: ['methods'],
      venue: { venue: 'Method Hall', city: 'Rome' },
    };
    const settled = ({
      id,
      global_id,
      global_id_lineage,
      rest_url,
      slug,
      url,
      website,
      ...rest
    }: Record<string, unknown>) =>
      JSON.parse(JSON.stringify({ ...rest, date: '', date_utc: '', modified: '', modified_utc: '' }), (key, value) =>
        key === 'count' ? 0 : value,
      );
    for (const form of ['id', 'slug'] as const) {
      test(`D1 all fields given, by ${form}: the same record whatever the method`, async () => {
        const results: unknown[] = [];
        for (const method of ['POST', 'PUT', 'PATCH']) {
          const event = await makeEvent(s, { excerpt: 'Stays', sticky: true });
          const at = form === 'id' ? `/events/${event.id}` : `/events/by-slug/${event.slug}`;
          const changed = await must(s.ask(method, at, { json: change, as: 'admin' }), 200);
          assert.equal(changed.id, event.id);
          assert.equal(changed.excerpt, '<p>Stays</p>');
          assert.equal(changed.sticky, true);
          results.push(settled(changed));
        }
        assert.deepEqual(results[1], results[0]);
        assert.deepEqual(results[2], results[0]);
      });
      test(`D1 an empty body by ${form} changes nothing but the time of change, whatever the method`, async () => {
        for (const method of ['POST', 'PUT', 'PATCH']) {
          const event = await makeEvent(s, { status: 'private', cost: '3', date: '2026-01-01 00:00:00' });
          const at = form === 'id' ? `/events/${event.id}` : `/events/by-slug/${event.slug}`;
          const { modified, modified_utc, ...after } = await must(s.ask(method, at, { json: {}, as: 'admin' }), 200);
          const { modified: _m, modified_utc: _u, ...before } = event;
          assert.deepEqual(after, before);
          assert.notEqual(modified, '2026-01-01 00:00:00');
          assert.equal(modified_utc, modified);
        }
      });
    }
  });

  describe('an update keeps what the reference resets (D1)', () => {
    for (const status of ['draft', 'pending', 'private', 'publish'])
      test(`D1 a change of title leaves the status ${status}`, async () => {
        const event = await makeEvent(s, { status });
        const changed = await must(s.patch(`/events/${event.id}`, { title: 'Other' }, 'admin'), 200);
        assert.equal(changed.status, status);
        assert.equal(changed.date_utc, event.date_utc);
      });
    test('D6 the same zone in other letters leaves the later of two hours of one name', async () => {
      const zone = 'America/New_York';
      const end_date = '2031-11-02T06:30:00Z';
      const { id } = await makeEvent(s, { timezone: zone, start_date: '2031-11-02T05:00:00Z', end_date });
      const changed = await must(s.patch(`/events/${id}`, { timezone: zone.toLowerCase() }, 'admin'), 200);
      assert.deepEqual([changed.end_date, changed.utc_end_date], ['2031-11-02 01:30:00', '2031-11-02 06:30:00']);
    });
  });

  describe('texts that must say something (A5, A7)', async () => {
    const { id } = await makeEvent(s);
    rows(
      s,
      [
        {
          name: 'blanks only',
          ask: 'POST /events',
          json: newEvent({ title: '   ' }),
          status: 400,
          code: 'empty_content',
        },
        {
          name: 'nothing left without markup',
          ask: 'POST /events',
          json: newEvent({ title: '<img src=x onerror=alert(1)>' }),
          status: 400,
          code: 'empty_content',
        },
        { name: 'update: empty', ask: `PATCH /events/${id}`, json: { title: '' }, status: 400, params: ['title'] },
        {
          name: 'update: blanks',
          ask: `PUT /events/${id}`,
          json: { title: ' \n ' },
          status: 400,
          code: 'empty_content',
        },
      ].map((row) => ({ ...row, name: `A5 title, ${row.name}`, as: 'admin' as const })),
    );
  });

  test('A6 an event that says something needs no title: it is called so, and its id is its address', async () => {
    for (const [title, text] of [
      ['<br>', { description: 'Open to all' }],
      ['   ', { excerpt: 'Open to all' }],
      ['<img src=x>', { description: '<img src=x>' }],
    ] as const) {
      const event = await makeEvent(s, { title, ...text });
      assert.deepEqual([event.title, event.slug], ['Untitled', String(event.id)], title);
    }
    const named = await makeEvent(s, { title: 'Untitled', description: 'Its name' });
    assert.match(named.slug, /^untitled/);
    const silent = await s.post('/events', newEvent({ title: '<br>', description: '<svg onload=x>' }), 'admin');
    assert.deepEqual([silent.status, silent.json.code], [400, 'empty_content']);
  });

  describe('plain meanings are accepted (A6)', () => {
    rows(
      s,
      [
        {
          name: 'A6 dates as numbers',
          json: { start_date: 1_930_000_000, end_date: 1_930_003_600 },
          shows: { utc_start_date: '2031-02-27 23:06:40' },
        },
        { name: 'A6 a title as a number', json: { title: 1984 }, shows: { title: '1984' } },
        { name: 'A6 flags as numbers', json: { featured: 1, sticky: 0 }, shows: { featured: true, sticky: false } },
        {
          name: 'A6 author as text',
          json: { author: String(s.users.author.id) },
          shows: { author: String(s.users.author.id) },
        },
        { name: 'A6 cost as a number', json: { cost: 5 }, shows: { cost: '$5' } },
      ].map((row) => ({ ...row, ask: 'POST /events', as: 'admin' as const, json: newEvent(row.json), status: 201 })),
    );
  });

  describe('passwords (D13, E5)', async () => {
    const locked = await makeEvent(s, { password: 'open sesame', description: 'Cave' });
    const at = `/events/${locked.id}`;
    rows(s, [
      { name: 'D13 password on create protects', ask: `GET ${at}`, status: 403, code: 'event-password-protected' },
      {
        name: 'D13 the word opens it',
        ask: `GET ${at}`,
        query: { password: 'open sesame' },
        status: 200,
        has: ['Cave'],
      },
      {
        name: 'D13 also by slug',
        ask: `GET /events/by-slug/${locked.slug}`,
        query: { password: 'open sesame' },
        status: 200,
      },
      {
        name: 'D13 a wrong word does not',
        ask: `GET ${at}`,
        query: { password: 'Open sesame' },
        status: 403,
        lacks: ['Cave'],
      },
      {
        name: 'D13 password on update is no new password',
        ask: `PATCH ${at}`,
        as: 'admin',
        json: { password: 'else' },
        status: 200,
      },
      { name: 'D13 so the old word still opens it', ask: `GET ${at}`, query: { password: 'open sesame' }, status: 200 },
      {
        name: 'D13 new_password replaces it',
        ask: `PATCH ${at}`,
        as: 'admin',
        json: { new_password: 'shazam' },
        status: 200,
      },
      { name: 'D13 the old word is gone', ask: `GET ${at}`, query: { password: 'open sesame' }, status: 403 },
      { name: 'D13 the new word opens', ask: `GET ${at}`, query: { password: 'shazam' }, status: 200, has: ['Cave'] },
      { name: 'A5 null leaves it', ask: `PATCH ${at}`, as: 'admin', json: { new_password: null }, status: 200 },
      { name: 'A5 and it is still protected', ask: `GET ${at}`, status: 403, code: 'event-password-protected' },
      { name: 'D13 "" removes it', ask: `PATCH ${at}`, as: 'admin', json: { new_password: '' }, status: 200 },
      { name: 'D13 then all may read', ask: `GET ${at}`, status: 200, has: ['Cave'] },
      {
        name: 'A5 "" on create is none',
        ask: 'POST /events',
        as: 'admin',
        json: newEvent({ password: '' }),
        status: 201,
      },
    ]);
    for (const word of [5, true, ['a'], { a: 1 }, 'x'.repeat(256)]) {
      const shown = JSON.stringify(word).slice(0, 20);
      const refused = { as: 'admin', status: 400, code: 'rest_invalid_param' } as const;
      rows(s, [
        {
          ...refused,
          name: `E5 password ${shown} on create`,
          ask: 'POST /events',
          json: newEvent({ password: word }),
          params: ['password'],
        },
        {
          ...refused,
          name: `E5 new_password ${shown}`,
          ask: `PATCH ${at}`,
          json: { new_password: word },
          params: ['new_password'],
        },
        {
          ...refused,
          name: `E5 password ${shown} on update`,
          ask: `PATCH ${at}`,
          json: { password: word },
          params: ['password'],
        },
      ]);
    }
    rows(s, [
      { name: 'E5 an empty word in a read', ask: `GET ${at}?password=`, status: 400, params: ['password'] },
      {
        name: 'E5 a list of words in a read',
        ask: `GET ${at}?password[]=a&password[]=b`,
        status: 400,
        params: ['password'],
      },
      {
        name: 'E5 an empty word in a delete',
        ask: `DELETE ${at}?password=`,
        as: 'admin',
        status: 400,
        params: ['password'],
      },
    ]);
  });

  describe('parents (D19)', async () => {
    const grand = await makeEvent(s);
    const parent = await makeEvent(s, { post_parent: grand.id });
    const child = await makeEvent(s, { post_parent: parent.id });
    const hidden = await makeEvent(s, { status: 'private' });
    const bad = { as: 'admin', status: 400, code: 'rest_invalid_param', params: ['post_parent'] } as const;
    rows(s, [
      { ...bad, name: 'D19 itself', ask: `PATCH /events/${grand.id}`, json: { post_parent: grand.id } },
      { ...bad, name: 'D19 a child', ask: `PATCH /events/${grand.id}`, json: { post_parent: parent.id } },
      { ...bad, name: 'D19 a grandchild', ask: `PATCH /events/${grand.id}`, json: { post_parent: child.id } },
      {
        ...bad,
        name: 'A3 one that the caller may not read',
        as: 'author',
        ask: 'POST /events',
        json: newEvent({ post_parent: hidden.id }),
      },
      {
        name: 'D19 a cousin is fine',
        ask: `PATCH /events/${child.id}`,
        as: 'admin',
        json: { post_parent: hidden.id },
        status: 200,
        shows: { post_parent: hidden.id },
      },
    ]);
    test('D19 post_parent stands after custom_fields, and only when there is one', async () => {
      const keys = Object.keys(await must(s.get(`/events/${parent.id}`), 200));
      assert.equal(keys[keys.indexOf('custom_fields') + 1], 'post_parent');
      assert.ok(!Object.keys(await must(s.get(`/events/${grand.id}`), 200)).includes('post_parent'));
    });
    test('D14 removing a parent for good leaves its children, without a parent', async () => {
      const top = await makeEvent(s);
      const below = await makeEvent(s, { post_parent: top.id });
      await must(s.del(`/events/${top.id}`, 'admin', { force: true }), 200);
      assert.equal((await must(s.get(`/events/${below.id}`), 200)).post_parent, undefined);
    });
  });

  describe('slugs (D16)', () => {
    test('D16 equal titles get suffixes, in order', async () => {
      const title = unique('Weekly');
      const slugs = [];
      for (let n = 0; n < 4; n += 1) slugs.push((await makeEvent(s, { title })).slug);
      const first = slugs[0];
      assert.deepEqual(slugs, [first, `${first}-2`, `${first}-3`, `${first}-4`]);
    });
    test('D16 an asked slug is made unique too, for drafts as well', async () => {
      const slug = unique('mine').replace(' ', '-');
      assert.equal((await makeEvent(s, { slug })).slug, slug);
      assert.equal((await makeEvent(s, { slug, status: 'draft' })).slug, `${slug}-2`);
      const third = await makeEvent(s, { status: 'draft' });
      assert.equal((await must(s.patch(`/events/${third.id}`, { slug }, 'admin'), 200)).slug, `${slug}-3`);
    });
    test('D16 giving the own slug again keeps it', async () => {
      const event = await makeEvent(s);
      assert.equal((await must(s.patch(`/events/${event.id}`, { slug: event.slug }, 'admin'), 200)).slug, event.slug);
    });
    test('D16 a draft without slug gets one when it is published', async () => {
      const title = unique('Later');
      const { id } = await makeEvent(s, { title, status: 'draft' });
      const { slug } = await must(s.patch(`/events/${id}`, { status: 'publish' }, 'admin'), 200);
      assert.equal(slug, title.toLowerCase().replace(' ', '-'));
      await must(s.get(`/events/by-slug/${slug}`), 200);
    });
    test('D16 a body slug on a by-slug update renames', async () => {
      const event = await makeEvent(s);
      const slug = `${event.slug}-moved`;
      const moved = await must(s.patch(`/events/by-slug/${event.slug}`, { slug }, 'admin'), 200);
      assert.equal(moved.id, event.id);
      assert.equal(moved.slug, slug);
      assert.equal((await s.get(`/events/by-slug/${event.slug}`)).status, 404);
      assert.equal((await must(s.get(`/events/by-slug/${slug}`), 200)).id, event.id);
    });
    test('D16 the address ignores letter case', async () => {
      const event = await makeEvent(s);
      assert.equal((await must(s.get(`/events/by-slug/${event.slug.toUpperCase()}`), 200)).id, event.id);
    });
  });
});
