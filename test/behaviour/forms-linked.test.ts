import assert from 'node:assert/strict';
import { test } from 'node:test';
import { below, SOON } from '../support/browser.js';
import { fill, formIn, TIMES, writersAt } from '../support/forms.js';
import { behaviour, makeEvent, must, unique } from '../support/rows.js';

/** E6: where an event takes place and who organizes it: chosen among what is known, or added. */

behaviour('forms of venues and organizers', async (s) => {
  const { as } = writersAt(s);
  const admin = await as('admin');

  test('venues and organizers are added by forms of their own, by those who write', async () => {
    for (const [plural, one, nameless] of [
      ['venues', 'venue', 'Name'],
      ['organizers', 'organizer', 'Name'],
    ] as const) {
      assert.match(
        (await admin.get(`/${plural}/`)).text,
        new RegExp(`<p><a href="/${plural}/new">Add an? ${one}</a></p>`),
      );
      assert.ok(!(await (await as('subscriber')).get(`/${plural}/`)).text.includes(`/${plural}/new`));
      const name = unique('Added');
      assert.match((await admin.get(`/${plural}/new`)).text, new RegExp(`<h1[^>]*>Add an? ${one}</h1>`));
      const refused = await fill(admin, `/${plural}/new`, { [one]: ' ', phone: '12' });
      assert.deepEqual([refused.status, formIn(refused.text).phone], [400, '12']);
      assert.ok(refused.text.includes(`<p>Please fill in: ${nameless}`), refused.text);
      const made = await fill(admin, `/${plural}/new`, { [one]: name, phone: '34' });
      const found = await must(s.ask('GET', `/${plural}`, { query: { search: name } }), 200);
      assert.deepEqual([found.total, found[plural][0].phone], [1, '34']);
      assert.equal(made.headers.get('location'), `${below(found[plural][0].url)}?done=saved`);
    }
    const proposed = await fill(await as('contributor'), '/venues/new', { venue: unique('Proposed') });
    assert.match(proposed.headers.get('location') ?? '', /^\/\?post_type=tribe_venue&p=\d+&done=saved$/);
  });

  test('places and organizers have a box each, in which known names are suggested', async () => {
    const [hall, secret, club] = [unique('Suggested & "hall"'), unique('Draft'), unique('Club')];
    await must(s.post('/venues', { venue: hall }, 'admin'));
    await must(s.post('/venues', { venue: secret, status: 'draft' }, 'admin'));
    await must(s.post('/organizers', { organizer: club }, 'admin'));
    const author = await as('author');
    const boxes = (text: string, name: string): number => text.split(`name="${name}[]"`).length - 1;
    const { text } = await author.get('/events/new');
    assert.deepEqual([boxes(text, 'venue'), boxes(text, 'organizer')], [1, 2]);
    const [venues = '', organizers = ''] = [...text.matchAll(/<datalist id="known-\w+">(.*?)<\/datalist>/gs)].map(
      ([, list]) => list,
    );
    assert.ok(venues.includes(`<option value="${hall.replace('&', '&amp;').replaceAll('"', '&quot;')}">`), venues);
    assert.ok(organizers.includes(`<option value="${club}">`) && !venues.includes(secret));
    const body = new FormData();
    for (const [name, value] of Object.entries({ ...formIn(text), title: unique('Boxed'), ...TIMES }))
      if (name !== 'organizer' && name !== 'venue') body.append(name, value);
    for (const name of ['', club, ' New one ']) body.append('organizer[]', name);
    body.append('venue[]', hall);
    const headers = { accept: 'text/html', cookie: author.cookie() };
    const made = await s.ask('POST', '~/events/new', { body, headers });
    assert.equal(made.status, 303, made.text);
    const path = /"(\/event\/edit\/\d+)"/.exec((await author.get(made.headers.get('location') ?? '')).text)?.[1] ?? '';
    const edited = (await author.get(path)).text;
    assert.deepEqual([boxes(edited, 'venue'), boxes(edited, 'organizer')], [2, 4]);
    const { venue, organizer } = formIn(edited);
    assert.deepEqual([venue, organizer], [hall, `${club}\nNew one`]);
    assert.equal((await must(s.ask('GET', '/venues', { query: { search: hall } }), 200)).total, 1);
  });

  test('a place of which nothing but the name is known leads its writers to the form for its address', async () => {
    const [bare, whole] = [unique('Harbor hall'), unique('Harbour hall')];
    await must(s.post('/venues', { venue: whole, city: 'Porto' }, 'admin'));
    const link = /href="\/venue\/edit\/(\d+)">Add the address</;
    const first = await makeEvent(s, { ...SOON, title: unique('Typed wrongly'), venue: bare });
    const path = below(first.url);
    assert.equal(link.exec((await admin.get(path)).text)?.[1], String(first.venue.id));
    for (const other of [await as('author'), await as('subscriber')])
      assert.doesNotMatch((await other.get(path)).text, link);
    const second = await makeEvent(s, { ...SOON, title: unique('Typed well'), venue: whole });
    assert.doesNotMatch((await admin.get(below(second.url))).text, link);
  });
});
