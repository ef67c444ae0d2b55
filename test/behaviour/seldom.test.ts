import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SOON } from '../support/browser.js';
import { behaviour, eventually, idsIn, makeEvent, must, newEvent, unique } from '../support/rows.js';

/** Combinations that few ever send, and that must be right all the same. */
behaviour('what is seldom asked', (s) => {
  const change = (path: string, json: object) => must(s.patch(path, json, 'admin'), 200);
  const make = (path: string, json: object, as: 'admin' | 'contributor' = 'admin') => must(s.post(path, json, as), 201);
  const mine = async () => (await make('/events', newEvent(), 'contributor')).id as number;

  test('D14 E1 what was published is not for a contributor to edit, however it came into the trash', async () => {
    const id = await mine();
    await change(`/events/${id}`, { status: 'publish' });
    await change(`/events/${id}`, { status: 'trash' });
    const made = await make('/events', newEvent({ status: 'trash', author: s.users.contributor.id }));
    for (const one of [id, made.id]) {
      for (const json of [{ title: 'Mine again' }, { status: 'draft' }])
        assert.equal((await s.patch(`/events/${one}`, json, 'contributor')).status, 403, JSON.stringify(json));
      assert.equal((await s.del(`/events/${one}?force=true`, 'contributor')).status, 403);
    }
  });

  test('B16 a venue is not listed any more when its last event is over, though the answer was kept', async () => {
    const { id } = await make('/venues', { venue: unique('Brief') });
    const now = Math.floor(Date.now() / 1000);
    await makeEvent(s, { start_date: now - 60, end_date: now + 3, venue: id });
    const listed = async () =>
      idsIn(await s.get('/venues', { only_with_upcoming: true, per_page: 50 }), 'venues').includes(id);
    for (let n = 0; n < 4; n++) assert.equal(await listed(), true);
    await sleep(3000);
    await eventually(async () => ((await listed()) ? undefined : true), 4000);
  });

  test('D8 a text with a comma is one venue, if there is one of that name', async () => {
    const [one, other] = [unique('Smith'), unique('Jones')];
    for (const venue of [one, other, `${one}, ${other}`]) await make('/venues', { venue });
    const event = await makeEvent(s, { venue: `${one}, ${other}` });
    assert.equal(event.venue.venue, `${one}, ${other}`);
  });

  test('D8 among namesakes the slug tells which category is meant, before the parent does', async () => {
    const [name, above] = [unique('Same'), await make('/categories', { name: unique('Above') })];
    const top = await make('/categories', { name });
    await make('/categories', { name, parent: above.id });
    const event = await makeEvent(s, { categories: [{ name, slug: top.slug, parent: above.id }] });
    assert.deepEqual(
      event.categories.map(({ id }: { id: number }) => id),
      [top.id],
    );
  });

  test('D9 a contributor who sends a venue twice has made one, though it may not be published', async () => {
    const fields = { venue: unique('Twice'), status: 'publish' };
    const [one, two] = [await make('/venues', fields, 'contributor'), await make('/venues', fields, 'contributor')];
    assert.deepEqual([one.status, two.id], ['pending', one.id]);
  });

  test('B15 an event whose tickets were taken away is not found by them', async () => {
    const { id } = await makeEvent(s, { tickets: [{ name: 'Seat' }] });
    const found = async (ticketed: boolean) => (await s.get('/events', { include: id, ticketed })).json.total;
    assert.deepEqual([await found(true), await found(false)], [1, 0]);
    await change(`/events/${id}`, { tickets: [] });
    assert.deepEqual([await found(true), await found(false)], [0, 1]);
  });

  test('C4 json_ld tells of each ticket where it is sold, in which currency, and when', async () => {
    const sale = { sale_starts: '2030-01-01 10:00:00', sale_ends: '2030-02-01 10:00:00' };
    const ticket = { name: 'Seat', price: '12', currency: 'CHF', url: 'https://shop.example/x', ...sale };
    const fields = { cost: '5', tickets: [ticket], excerpt: 'In short', description: 'At length' };
    const { json_ld } = await must(s.get(`/events/${(await makeEvent(s, fields)).id}`), 200);
    const offer = [json_ld.offers].flat()[0];
    assert.deepEqual([offer.priceCurrency, offer.price, offer.url], ['CHF', 12, 'https://shop.example/x']);
    assert.match(offer.validFrom, /^2030-01-01T10:00/);
    assert.match(offer.validThrough, /^2030-02-01T10:00/);
    assert.match(json_ld.description, /In short/);
  });

  test('C3 a website that is read, changed and written back has each sign once', async () => {
    const { id, website } = await makeEvent(s, { website: 'https://a.example/?x=1&y=2' });
    const again = await change(`/events/${id}`, { website: `${website}&z=3` });
    assert.equal(again.website.replaceAll('&amp;', '&').replaceAll('&#038;', '&'), 'https://a.example/?x=1&y=2&z=3');
  });

  test('A5 A6 {} says nothing of a picture, nor of a website of a venue or organizer, where false does not either', async () => {
    const bodies: [path: string, json: object][] = [
      ['/events', newEvent()],
      ['/venues', { venue: unique('Hollow') }],
      ['/organizers', { organizer: unique('Hollow') }],
    ];
    for (const [path, json] of bodies) {
      const wrong: object[] = path === '/events' ? [] : [{ website: {} }, { website: false }];
      for (const more of [{ image: {} }, ...wrong]) {
        const refused = await s.post(path, { ...json, ...more }, 'admin');
        assert.equal(refused.status, 400, `${path} ${JSON.stringify(more)}`);
        const { params, details } = refused.json.data;
        assert.deepEqual(Object.keys(params), Object.keys(more));
        const codes = path === '/events' ? [] : ['rest_invalid_type'];
        assert.deepEqual(
          Object.values<{ code: string }>(details).map(({ code }) => code),
          codes,
        );
      }
      await make(path, { ...json, image: false, website: [] });
    }
  });

  test('C4 the region of a venue is its state in the United States and its province elsewhere, though it was emptied', async () => {
    const regions = { state: 'OR', province: 'Beira' };
    for (const [country, region] of [
      ['United States', 'OR'],
      ['Portugal', 'Beira'],
    ]) {
      const { id } = await make('/venues', { venue: unique('Region'), country, ...regions });
      await change(`/venues/${id}`, { stateprovince: '' });
      const { stateprovince, json_ld } = (await s.get(`/venues/${id}`)).json;
      assert.deepEqual([stateprovince, json_ld.address.addressRegion], [undefined, region]);
    }
  });

  test('D16 a taken slug of a category that moves becomes one with its new parent', async () => {
    const [taken, above] = [
      await make('/categories', { name: unique('Taken') }),
      await make('/categories', { name: unique('Par') }),
    ];
    const { id } = await make('/categories', { name: unique('Moves') });
    const moved = await change(`/categories/${id}`, { slug: taken.slug, parent: above.id });
    assert.equal(moved.slug, `${taken.slug}-${above.slug}`);
  });

  test('B17 the order of include may be turned round', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 3; n++) ids.push((await make('/tags', { name: unique('Turn') })).id);
    const wish = [ids[1], ids[2], ids[0]];
    const asked = { include: wish.join(','), orderby: 'include', hide_empty: false };
    assert.deepEqual(idsIn(await s.get('/tags', { ...asked, order: 'asc' }), 'tags'), wish);
    assert.deepEqual(idsIn(await s.get('/tags', { ...asked, order: 'desc' }), 'tags'), wish.reverse());
  });

  test('a name of many signs beyond the first plane is as long as it looks', async () => {
    const name = '🎻'.repeat(150);
    assert.equal((await make('/tags', { name })).name, name);
  });

  test('D10 date goes before date_utc where they do not agree', async () => {
    const event = await makeEvent(s, { date: '2026-01-02 03:04:05', date_utc: '2026-02-02 03:04:05' });
    assert.equal(event.date, '2026-01-02 03:04:05');
  });

  test('B2 B12 the links of an editor who sees hidden events go on showing them', async () => {
    const tag = unique('hush');
    for (let n = 0; n < 2; n++) await makeEvent(s, { ...SOON, tags: [tag], hide_from_listings: true });
    const first = await must(s.get('/events', { tags: tag, context: 'edit', per_page: 1 }, 'admin'), 200);
    assert.equal(first.total, 2);
    const second = await must(s.get(first.next_rest_url, undefined, 'admin'), 200);
    assert.deepEqual([second.total, second.events.length], [2, 1]);
  });

  test('what nobody knows is named, but not so often that no client takes the answer', async () => {
    const many = Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`nobody_knows_${n}`, n]));
    const reply = await s.post('/events', newEvent(many), 'admin');
    assert.equal(reply.status, 201);
    assert.ok((reply.headers.get('x-kalends-ignored') ?? '').length < 2000);
  });

  test('no name of a member has signs that end a text', async () => {
    const reply = await s.post('/events', newEvent({ venue: { venue: unique('V'), 'a\0b': 1 } }), 'admin');
    assert.equal(reply.status, 400);
  });
});
