import assert from 'node:assert/strict';
import { test } from 'node:test';
import { removeUser } from '../../src/accounts/user.store.js';
import { behaviour, idsIn, makeEvent, must, unique } from '../support/rows.js';

const SOON = { start_date: '+1 day', end_date: '+1 day' };

/** Which record is meant by what is sent, where more than one could be. */
behaviour('what is meant', async (s) => {
  const make = (path: string, json: object, as: 'admin' | 'author' = 'admin') => must(s.post(path, json, as));
  const change = (path: string, json: object) => must(s.patch(path, json, 'admin'), 200);

  for (const [kind, member] of [
    ['venues', 'venue'],
    ['organizers', 'organizer'],
  ] as const) {
    test(`D9 ${kind} whose slugs differ in a number are two`, async () => {
      const name = unique('Room');
      const [first, second] = [101, 102].map((n) => ({
        [member]: name,
        slug: `${name.toLowerCase().replace(' ', '-')}-${n}`,
      }));
      const one = await make(`/${kind}`, first as object);
      const other = await make(`/${kind}`, second as object);
      assert.notEqual(other.id, one.id);
      assert.equal(other.slug, second?.slug);
      assert.equal((await make(`/${kind}`, first as object)).id, one.id);
      const free = { [member]: name, slug: one.slug.replace(/-101$/, '') };
      const third = await make(`/${kind}`, free);
      assert.deepEqual([third.slug, [one.id, other.id].includes(third.id)], [free.slug, false]);
      assert.equal((await make(`/${kind}`, free)).id, third.id);
    });
    test(`D9 one of the ${kind} that was stored under a number is found by the slug that was asked for`, async () => {
      const slug = unique('taken').replace(' ', '-');
      await make(`/${kind}`, { [member]: unique('First'), slug });
      const asked = { [member]: unique('Second'), slug };
      const made = await make(`/${kind}`, asked);
      assert.equal(made.slug, `${slug}-2`);
      assert.equal((await make(`/${kind}`, asked)).id, made.id);
    });
    test(`D8 ${kind}: the very name goes before one with other accents`, async () => {
      const plain = await make(`/${kind}`, { [member]: unique('Cafe') });
      const accented = await make(`/${kind}`, { [member]: plain[member].replace('Cafe', 'Café') });
      for (const meant of [plain, accented]) {
        const event = await makeEvent(s, { [member]: meant[member] });
        assert.equal([event[member]].flat()[0].id, meant.id);
      }
    });
    test(`D9 one of the ${kind}, sent as it was read, is the one that is there`, async () => {
      const made = await make(`/${kind}`, { [member]: unique('Read'), description: 'One\n\nTwo' });
      assert.match(made.description, /^<p>/);
      const { id: _, ...read } = made;
      assert.equal((await make(`/${kind}`, read)).id, made.id);
    });
    test(`D14 of ${kind} too: removed for good, it is told as thrown away`, async () => {
      const { id } = await make(`/${kind}`, { [member]: unique('Gone') });
      assert.equal((await s.del(`/${kind}/${id}`, 'admin', { force: true })).json.status, 'trash');
      assert.equal((await s.get(`/${kind}/${id}`, undefined, 'admin')).status, 404);
    });
  }

  test('D9 a slug that nobody may have, or that is too long for a number, is found again', async () => {
    for (const slug of ['feed', 'abcdefghij'.repeat(20)]) {
      const venue = { venue: unique('Venue'), slug };
      await make('/venues', { ...venue, venue: unique('Before') });
      const made = await make('/venues', venue);
      assert.notEqual(made.slug, slug);
      assert.equal((await make('/venues', venue)).id, made.id, slug);
    }
  });

  for (const kind of ['categories', 'tags'] as const) {
    test(`D8 ${kind}: a name that looks like a slug is a name`, async () => {
      const word = unique('c').replace(' ', '');
      const signs = await make(`/${kind}`, { name: `${word}++` });
      assert.equal(signs.slug, word);
      const plain = await make(`/${kind}`, { name: word });
      for (const given of [word, { name: word }]) {
        const event = await makeEvent(s, { ...SOON, [kind]: [given] });
        assert.equal(event[kind][0].id, plain.id);
      }
      const asked = await make('/events', { title: 'By slug', ...SOON, [kind]: [plain.slug] });
      assert.equal(asked[kind][0].id, plain.id);
    });
    test(`C6 of ${kind}: links have names that clients know`, async () => {
      const { id } = await make(`/${kind}`, { name: unique('Linked') });
      const { _links: links } = (await s.get(`/${kind}/${id}`)).json;
      assert.deepEqual(links['wp:post_type'], [{ href: `${s.api}/events?${kind}=${id}` }]);
      assert.equal(links.curies[0].name, 'wp');
    });
    test(`D8, B9 ${kind}: a name goes before the slug of another`, async () => {
      const name = unique('Cpp');
      const plain = await make(`/${kind}`, { name });
      const signs = await make(`/${kind}`, { name: `${name}++` });
      assert.equal(signs.slug, `${plain.slug}-2`);
      const accented = await make(`/${kind}`, { name: name.replace('Cpp', 'Cpṕ') });
      for (const [given, meant] of [
        [`${name}++`, signs],
        [name, plain],
        [plain.slug, plain],
        [signs.slug, signs],
        [{ name: `${name}++` }, signs],
        [accented.name, accented],
      ]) {
        const event = await makeEvent(s, { ...SOON, [kind]: [given] });
        assert.deepEqual(
          event[kind].map((one: { id: number }) => one.id),
          [meant.id],
          JSON.stringify(given),
        );
        const found = await s.get('/events', { [kind]: [typeof given === 'string' ? given : given.name] });
        assert.ok(idsIn(found, 'events').includes(event.id), JSON.stringify(given));
      }
    });
    test(`D8 ${kind}: an id that is no number is unknown, and makes nothing`, async () => {
      const word = unique('Nosuch');
      for (const id of [word, { name: word }, [word]]) {
        const json = { title: 'x', ...SOON, [kind]: [{ id, name: `${word} real` }] };
        const reply = await s.post('/events', json, 'admin');
        assert.equal(reply.status, 400);
        assert.deepEqual(Object.keys(reply.json.data.params), [kind]);
      }
      assert.equal((await s.get(`/${kind}`, { search: word, hide_empty: false })).json.total, 0);
    });
  }
  test('D8 of categories of one name the slug, or else the parent, tells which', async () => {
    const [name, up] = [unique('Same'), unique('Up')];
    const [p, q] = [await make('/categories', { name: `${up}p` }), await make('/categories', { name: `${up}q` })];
    const below = await make('/categories', { name, parent: p.id });
    const other = await make('/categories', { name, parent: q.id, slug: `${name}-other` });
    for (const [given, meant] of [
      [{ name }, below],
      [{ name, parent: q.id }, other],
      [{ name, slug: other.slug }, other],
      [{ name, slug: below.slug, parent: p.id }, below],
      [{ name, slug: 'something-else' }, below],
    ] as const) {
      const { categories } = await makeEvent(s, { categories: [given] });
      assert.deepEqual(
        categories.map((one: { id: number }) => one.id),
        [meant.id],
        JSON.stringify(given),
      );
    }
  });
  test('A5 tags have no parent, and "" names none', async () => {
    for (const parent of ['', []]) assert.equal((await make('/tags', { name: unique('Flat'), parent })).count, 0);
    assert.equal((await s.post('/tags', { name: unique('Flat'), parent: 1 }, 'admin')).status, 400);
  });

  test('D15 organizers that are not shown stay when others are named, and go when none is wanted', async () => {
    const [a, b, c] = await Promise.all(
      ['A', 'B', 'C'].map((name) => make('/organizers', { organizer: unique(name) })),
    );
    const ids = (event: { organizer: { id: number }[] }) => event.organizer.map(({ id }) => id);
    const event = await makeEvent(s, { organizer: [a.id, b.id] });
    await must(s.del(`/organizers/${b.id}`, 'admin'), 200);
    assert.deepEqual(ids(await change(`/events/${event.id}`, { organizer: [a.id, c.id] })), [a.id, c.id]);
    await change(`/organizers/${b.id}`, { status: 'publish' });
    const restored = await s.get(`/events/${event.id}`);
    assert.deepEqual(ids(restored.json), [a.id, b.id, c.id]);
    await must(s.del(`/organizers/${b.id}`, 'admin'), 200);
    await change(`/events/${event.id}`, { organizer: [] });
    await change(`/organizers/${b.id}`, { status: 'publish' });
    assert.deepEqual(ids((await s.get(`/events/${event.id}`)).json), []);
  });
  test('D15 an event in several places keeps the one that is not shown, and one in one place moves', async () => {
    const [a, b, c] = await Promise.all(['A', 'B', 'C'].map((name) => make('/venues', { venue: unique(name) })));
    const places = async (id: number) =>
      [(await s.get(`/events/${id}`)).json.venue].flat().map((one: { id: number }) => one.id);
    const [many, one] = [await makeEvent(s, { venue: [a.id, b.id] }), await makeEvent(s, { venue: b.id })];
    await must(s.del(`/venues/${b.id}`, 'admin'), 200);
    await change(`/events/${many.id}`, { venue: [a.id, c.id] });
    await change(`/events/${one.id}`, { venue: c.id });
    await change(`/venues/${b.id}`, { status: 'publish' });
    assert.deepEqual(await places(many.id), [a.id, b.id, c.id]);
    assert.deepEqual(await places(one.id), [c.id]);
    await must(s.del(`/venues/${b.id}`, 'admin'), 200);
    await change(`/events/${many.id}`, { venue: [a.id] });
    await change(`/events/${many.id}`, { venue: c.id });
    await change(`/venues/${b.id}`, { status: 'publish' });
    assert.deepEqual(await places(many.id), [c.id], 'whoever sees one place moves it');
  });
  test('A5 a venue is not taken away by what is empty for other fields', async () => {
    const venue = await make('/venues', { venue: unique('Hall') });
    const event = await makeEvent(s, { venue: venue.id });
    for (const given of [0, '0', false, {}, null])
      assert.equal((await change(`/events/${event.id}`, { venue: given })).venue.id, venue.id, JSON.stringify(given));
    assert.deepEqual((await change(`/events/${event.id}`, { venue: '' })).venue, []);
  });

  test('D8 a term is linked by its name or slug, not by another name that yields the slug', async () => {
    const word = unique('Rock').replaceAll(' ', '');
    const old = await make('/tags', { name: `${word}#` });
    const tags = async (...given: string[]): Promise<string[]> =>
      (await makeEvent(s, { tags: given })).tags.map(({ name }: { name: string }) => name).sort();
    assert.equal(old.slug, word.toLowerCase());
    assert.deepEqual(await tags(`${word}++`), [`${word}++`]);
    assert.deepEqual(await tags(old.slug, `${word}#`, word), [`${word}#`]);
    assert.deepEqual(await tags(`${word} ++`, `${word}++`), [`${word} ++`, `${word}++`].sort());
  });

  test('D8 in a list of references, "0" is none; an object with the keys 0, 1, … is a list', async () => {
    const [a, b] = [
      await make('/organizers', { organizer: unique('A') }),
      await make('/organizers', { organizer: unique('B') }),
    ];
    const names = async (organizer: unknown): Promise<number[]> =>
      (await makeEvent(s, { organizer })).organizer.map(({ id }: { id: number }) => id);
    assert.deepEqual(await names(['0', a.id, 0, '']), [a.id]);
    assert.deepEqual(await names(['0']), []);
    assert.deepEqual(await names({ 0: b.id, 1: String(a.id) }), [b.id, a.id]);
    assert.equal((await s.post('/events', { title: 'x', ...SOON, organizer: { 1: a.id } }, 'admin')).status, 400);
  });

  test('D14 a long slug comes back from the trash as it was', async () => {
    for (const given of ['abcdefghij'.repeat(20), '日本の祭りと音楽の夕べをみんなで楽しむ会のお']) {
      const first = await makeEvent(s, { slug: given });
      await must(s.del(`/events/${first.id}`, 'admin'), 200);
      const second = await makeEvent(s, { slug: given });
      assert.equal(second.slug, first.slug);
      const trashed = (await s.del(`/events/${second.id}`, 'admin')).json.slug;
      assert.equal(trashed, `${first.slug}__trashed-2`);
      assert.equal((await s.get(`/events/by-slug/${trashed}`)).json.code, 'event-no-longer-available');
      assert.equal((await change(`/events/${second.id}`, { status: 'publish' })).slug, first.slug);
      assert.notEqual((await change(`/events/${first.id}`, { status: 'publish' })).slug, first.slug);
    }
  });
  test('D14 an event that is removed for good is told as thrown away', async () => {
    const { id } = await makeEvent(s, { status: 'draft' });
    const gone = await s.del(`/events/${id}`, 'admin', { force: true });
    assert.deepEqual([gone.status, gone.json.status], [200, 'trash']);
    assert.equal((await s.get(`/events/${id}`, undefined, 'admin')).status, 404);
  });
  test('D4 what names no time moves nothing', async () => {
    const { id, start_date, end_date, date } = await makeEvent(s);
    for (const json of [{ start_date: '  ' }, { end_date: 'Europe/Paris' }, { date: ' ', date_utc: ' , ' }]) {
      const changed = await must(s.patch(`/events/${id}`, json, 'admin'), 200);
      assert.deepEqual([changed.start_date, changed.end_date, changed.date], [start_date, end_date, date]);
    }
    for (const json of [{ start_date: '' }, { end_date: 'somewhen' }, { date: '' }])
      assert.equal((await s.patch(`/events/${id}`, json, 'admin')).status, 400, JSON.stringify(json));
  });
  test('If-Match: * is met by whatever is there, in the trash too', async () => {
    const { id } = await makeEvent(s);
    await must(s.del(`/events/${id}`, 'admin'), 200);
    const ask = { as: 'admin', json: { status: 'publish' }, headers: { 'If-Match': '*' } } as const;
    assert.equal((await s.ask('PATCH', `/events/${id}`, ask)).status, 200);
    assert.equal((await s.ask('PATCH', '/events/999999', ask)).status, 404);
  });

  test('B9 a list said several times, each with commas, is all of it', async () => {
    const terms = await Promise.all(['x', 'y', 'z'].map((name) => make('/tags', { name: unique(name) })));
    const events = [];
    for (const { id } of terms) events.push((await makeEvent(s, { ...SOON, tags: [id] })).id);
    const [x, y, z] = terms.map(({ slug }) => slug);
    const found = await must(s.get('/events', `tags=${x},${y}&tags=${z}`), 200);
    assert.deepEqual(found.events.map(({ id }: { id: number }) => id).sort(), events.sort());
    const [first, ...others] = events;
    const included = await s.get('/events', `include=${others.join(',')}&include=${first}`);
    assert.deepEqual(idsIn(included, 'events').sort(), events.sort());
    for (const [query, as] of [['status=publish&status=publish'], ['status=any&status=any', 'admin']] as const)
      assert.equal((await s.get('/events', query, as)).status, 200, query);
    const comma = await make('/tags', { name: `Rock, Paper ${x}` });
    const event = (await makeEvent(s, { ...SOON, tags: [comma.id] })).id;
    const both = await s.get('/events', `tags=${encodeURIComponent(comma.name)}&tags=${x}`);
    assert.deepEqual(idsIn(both, 'events').sort(), [events[0], event].sort());
    const drafts = await must(s.get('/events', 'status=publish,draft&status=pending', 'admin'), 200);
    assert.match(drafts.rest_url, /status=publish%2Cdraft%2Cpending|status=publish,draft,pending/);
  });
  test('B2 links carry a password that has a say in what is selected', async () => {
    const tag = unique('Shut');
    for (let n = 0; n < 2; n++) await makeEvent(s, { ...SOON, password: 'sesame', tags: [tag] });
    const first = await must(s.get('/events', { tags: tag, password: 'sesame', per_page: 1 }), 200);
    assert.equal(first.total, 2);
    for (const url of [first.rest_url, first.next_rest_url]) assert.equal((await s.ask('GET', url)).json.total, 2, url);
    const open = await must(s.get('/events', { password: 'sesame' }), 200);
    assert.doesNotMatch(open.rest_url, /sesame/);
  });

  test('D10 a status that a record has is kept when it is written back', async () => {
    const event = await makeEvent(s, { status: 'private', author: s.users.contributor.id });
    const read = await must(s.get(`/events/${event.id}`, undefined, 'contributor'), 200);
    assert.equal((await s.ask('PUT', `/events/${event.id}`, { as: 'contributor', json: read })).json.status, 'private');
    const asked = await s.patch(`/events/${event.id}`, { status: 'publish' }, 'contributor');
    assert.equal(asked.json.status, 'pending');
  });

  test('what somebody wrote who is gone can be written back, and nobody else’s is given to them', async () => {
    const id = s.users.subscriber.id;
    const event = await makeEvent(s, { author: id });
    const venue = await make('/venues', { venue: unique('Left'), author: id });
    const gone = { id, username: 'subscriber' } as Parameters<typeof removeUser>[1];
    await s.database.write((db) => removeUser(db, gone, 1_800_000_000));
    for (const [path, read] of [
      [`/events/${event.id}`, event],
      [`/venues/${venue.id}`, venue],
    ])
      assert.equal((await change(path, { author: read.author })).author, String(id));
    const mine = await makeEvent(s);
    for (const reply of [
      await s.patch(`/events/${mine.id}`, { author: id }, 'admin'),
      await s.post('/venues', { venue: unique('New'), author: id }, 'admin'),
      await s.patch(`/events/${mine.id}`, { author: 999_999 }),
    ])
      assert.deepEqual([reply.status, Object.keys(reply.json.data.params)], [400, ['author']]);
  });
});
