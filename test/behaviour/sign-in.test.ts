import assert from 'node:assert/strict';
import { test } from 'node:test';
import { translator } from '../../src/i18n/translate.js';
import { below, browserAt, SOON } from '../support/browser.js';
import { behaviour, makeEvent, must } from '../support/rows.js';
import { startServer } from '../support/server.js';

/** E6: people sign in on pages, and are shown there what the interface would tell them. */

behaviour('signing in on pages', async (s) => {
  const draft = await makeEvent(s, { ...SOON, title: 'Only a draft', status: 'draft' });
  const hidden = await makeEvent(s, { ...SOON, title: 'Kept to ourselves', status: 'private' });
  const hall = await must(s.post('/venues', { venue: 'Hall to be', status: 'draft' }, 'admin'));
  const troupe = await must(s.post('/organizers', { organizer: 'Troupe to be', status: 'draft' }, 'admin'));
  const word = { password: 'open sesame', description: 'Behind the word', status: 'draft' };
  const guarded = await makeEvent(s, { ...SOON, title: 'With a word', ...word });

  test('who signs in is led back, and sees what is not public, and that it is not', async () => {
    const browser = browserAt(s);
    const { status, headers } = await browser.signIn('admin', { to: below(draft.url) });
    assert.deepEqual([status, headers.get('location')], [303, below(draft.url)]);
    const records: [string, string][] = [
      [draft.url, 'Only a draft'],
      [hidden.url, 'Kept to ourselves'],
      [hall.url, 'Hall to be'],
      [troupe.url, 'Troupe to be'],
    ];
    for (const [url, title] of records) {
      const page = await browser.get(below(url));
      assert.equal(page.status, 200, url);
      assert.ok(page.text.includes(`<h1 dir="auto">${title}</h1>`), page.text);
      assert.ok(page.text.includes('Not public'), page.text);
      assert.equal(page.headers.get('cache-control'), 'private, no-store');
      const stranger = await browserAt(s).get(below(url));
      assert.equal(stranger.status, 404, url);
      assert.ok(!stranger.text.includes(title), stranger.text);
    }
    for (const list of ['/', '/events/']) {
      const page = await browser.get(list);
      assert.ok(page.text.includes(`href="${below(draft.url).replace('&', '&amp;')}"`), page.text);
      assert.ok(page.text.includes('Kept to ourselves'), page.text);
      assert.match(page.text, /Signed in as \u2068admin\u2069/);
      const stranger = await browserAt(s).get(list);
      assert.ok(!stranger.text.includes('Only a draft') && !stranger.text.includes('Kept to ourselves'));
      assert.match(stranger.headers.get('vary') ?? '', /\bCookie\b/);
    }
  });

  test('each sees what is theirs to see, as in the interface', async () => {
    const browser = browserAt(s);
    await browser.signIn('author');
    assert.equal((await browser.get(below(draft.url))).status, 404);
    const own = await must(s.post('/events', { ...SOON, title: 'My own', status: 'draft' }, 'author'));
    assert.equal((await browser.get(below(own.url))).status, 200);
    const reader = browserAt(s);
    await reader.signIn('subscriber');
    assert.equal((await reader.get(below(own.url))).status, 404);
    assert.ok(!(await reader.get('/events/')).text.includes('My own'));
  });

  test('an event with a word asks for it here, too, and opens where it is asked', async () => {
    const browser = browserAt(s);
    await browser.signIn('editor');
    const closed = await browser.get(below(guarded.url));
    assert.equal(closed.status, 403);
    assert.match(closed.text, /<input type="password"/);
    const opened = await browser.post(below(guarded.url), { password: 'open sesame' });
    assert.equal(opened.status, 200);
    assert.match(opened.text, /Behind the word/);
    assert.equal((await browserAt(s).post(below(guarded.url), { password: 'open sesame' })).status, 404);
    assert.equal((await browser.post('/', { password: 'open sesame' })).status, 404);
  });

  test('pictures of what is not public are shown on its page', async () => {
    const dot = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64'); // biome-ignore format: one picture
    const headers = { 'content-type': 'image/png' };
    const image = await must(s.ask('POST', '/media', { body: dot, headers, as: 'admin' }));
    await must(s.patch(`/events/${draft.id}`, { image: image.id }, 'admin'), 200);
    const browser = browserAt(s);
    await browser.signIn('admin');
    const [, picture = ''] = /class="picture" src="([^"]+)"/.exec((await browser.get(below(draft.url))).text) ?? [];
    const shown = await browser.get(picture);
    assert.deepEqual([shown.status, shown.headers.get('cache-control')], [200, 'private, no-store']);
    assert.equal((await browserAt(s).get(picture)).status, 404);
  });

  test('who signs out is a stranger again, also with the cookie from before', async () => {
    const browser = browserAt(s);
    await browser.signIn('admin');
    const cookie = browser.cookie();
    assert.equal((await browser.get(below(draft.url))).status, 200);
    const { status, headers } = await browser.signOut();
    assert.deepEqual([status, headers.get('location')], [303, '/']);
    assert.deepEqual(
      [...browser.cookies.keys()].filter((name) => name.includes('session')),
      [],
    );
    for (const kept of ['', cookie]) assert.equal((await browser.get(below(draft.url), { cookie: kept })).status, 404);
  });

  test('what no list shows has its page by its number, too', async () => {
    const unlisted = await makeEvent(s, { ...SOON, title: 'Unlisted', status: 'draft', hide_from_listings: true });
    const browser = browserAt(s);
    await browser.signIn('editor');
    assert.equal((await browser.get(below(unlisted.url))).status, 200);
    const published = await makeEvent(s, { ...SOON, title: 'Unlisted, published', hide_from_listings: true });
    const { status, headers } = await browser.get(`/?post_type=tribe_events&p=${published.id}`);
    assert.deepEqual([status, headers.get('location')], [302, below(published.url)]);
    assert.equal(headers.get('cache-control'), 'private, no-store');
    const both = await makeEvent(s, { ...SOON, title: 'Unlisted, with a word', ...word, hide_from_listings: true });
    assert.equal((await browser.get(below(both.url))).status, 403);
    assert.equal((await browser.post(below(both.url), { password: 'open sesame' })).status, 200);
    assert.equal((await browserAt(s).get(below(both.url))).status, 404);
  });

  test('the number in an address counts on the front page alone', async () => {
    const [one, other] = [
      await makeEvent(s, { ...SOON, title: 'One' }),
      await makeEvent(s, { ...SOON, title: 'Other' }),
    ];
    const { text } = await browserAt(s).get(`${below(one.url)}?post_type=tribe_events&p=${other.id}`);
    assert.match(text, /<h1 dir="auto">One</);
  });

  test('what is linked and not public is marked, and so is what a word still closes', async () => {
    const browser = browserAt(s);
    await browser.signIn('editor');
    const event = await makeEvent(s, { ...SOON, title: 'There', venue: hall.id, organizer: troupe.id });
    const seen = await browser.get(below(event.url));
    assert.equal(seen.text.match(/\(Draft\)/g)?.length, 2, seen.text);
    assert.match((await browser.get(below(guarded.url))).text, /Not public/);
    assert.ok(!(await browserAt(s).get(below(event.url))).text.includes('to be'));
  });

  test('the way back survives a change of language, and letters of any script; one that is too long is left out', async () => {
    const { text } = await browserAt(s).get('/sign-in?to=%2Fevents%2F');
    assert.match(text, /href="\/de\/sign-in\?to=%2Fevents%2F"/);
    const slug = encodeURIComponent('日本');
    const missing = await browserAt(s).get(`/event/${slug}/`);
    assert.ok(missing.text.includes(`sign-in?to=${encodeURIComponent(`/event/${slug}/`)}`), missing.text);
    const { headers } = await browserAt(s).signIn('admin', { to: `/events/?search=${'a'.repeat(3000)}` });
    assert.equal(headers.get('location'), '/');
  });

  test('what cannot be read of a form is told with a page', async () => {
    const [body, headers] = [new Uint8Array([0xff, 0xfe]), { 'content-type': 'application/x-www-form-urlencoded' }];
    for (const path of ['/sign-in', '/sign-out', '/event/x']) {
      const reply = await s.ask('POST', `~${path}`, { body, headers: { ...headers, accept: 'text/html' } });
      assert.equal(reply.status, 400);
      assert.match(reply.headers.get('content-type') ?? '', /^text\/html/);
    }
  });

  test('whoever is signed in is led on from the form', async () => {
    const browser = browserAt(s);
    await browser.signIn('admin');
    const { status, headers } = await browser.get('/de/sign-in?to=/de/events/');
    assert.deepEqual([status, headers.get('location')], [303, '/de/events/']);
  });

  test('what is wrong is said in the language of the page, and the name need not be typed again', async () => {
    const browser = browserAt(s);
    const token = await browser.tokenAt('/fr/sign-in');
    const { status, text } = await browser.post('/fr/sign-in', { token, username: 'admin', password: 'guess' });
    assert.equal(status, 403);
    assert.ok(text.includes(translator('fr')('error.incorrect_password').replaceAll("'", '&#39;')), text);
    assert.match(text, /<input name="username" value="admin"[^>]* aria-describedby="problem"/);
    assert.match(text, /<input type="password"[^>]* autofocus>/);
    assert.ok(!text.includes('guess'));
  });
});

test('a site below a path has its cookie there', async () => {
  const s = await startServer({ KALENDS_PUBLIC_URL: 'http://town.example/calendar', KALENDS_LOG_LEVEL: 'silent' });
  try {
    const draft = await makeEvent(s, { ...SOON, title: 'Draft', status: 'draft' });
    const browser = browserAt(s);
    const { headers } = await browser.signIn('admin', { to: below(draft.url) });
    assert.equal(headers.get('location'), below(draft.url));
    assert.match(headers.get('set-cookie') ?? '', /^kalends-session=\w{40}; .*Path=\/calendar;/);
    assert.equal((await browser.get(`/${new URL(draft.url).search}`)).status, 200);
    assert.equal((await browser.signOut()).headers.get('location'), '/calendar/');
    for (const to of [
      '/admin',
      '/calendar/../admin',
      '/calendar/%2e%2e/admin',
      '/calendar/.%2E/admin',
      '/calendarium/',
    ])
      assert.equal((await browserAt(s).signIn('admin', { to })).headers.get('location'), '/calendar/', to);
  } finally {
    await s.close();
  }
});
