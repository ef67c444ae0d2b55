import assert from 'node:assert/strict';
import { test } from 'node:test';
import { translator } from '../../src/i18n/translate.js';
import { browserAt } from '../support/browser.js';
import { behaviour, makeEvent, must } from '../support/rows.js';
import { startServer } from '../support/server.js';

/** E6: people sign in on pages, and are shown there what the interface would tell them. */

const SOON = { start_date: '+2 days 19:00', end_date: '+2 days 21:00' };
const below = (url: string): string => new URL(url).pathname + new URL(url).search;

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
    const shown = await browser.get(below(picture));
    assert.deepEqual([shown.status, shown.headers.get('cache-control')], [200, 'private, no-store']);
    assert.equal((await browserAt(s).get(below(picture))).status, 404);
  });

  test('who signs out is a stranger again, also with the cookie from before', async () => {
    const browser = browserAt(s);
    await browser.signIn('admin');
    const { cookie } = browser;
    assert.equal((await browser.get(below(draft.url))).status, 200);
    const { status, headers } = await browser.signOut();
    assert.deepEqual([status, headers.get('location'), browser.cookie], [303, '/', undefined]);
    for (const kept of [undefined, cookie]) {
      browser.cookie = kept;
      assert.equal((await browser.get(below(draft.url))).status, 404);
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
    assert.match(text, /<input name="username" value="admin"/);
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
    assert.match(headers.get('set-cookie') ?? '', /^kalends=\w{40}; .*Path=\/calendar\//);
    assert.equal((await browser.get(`/${new URL(draft.url).search}`)).status, 200);
    assert.equal((await browser.signOut()).headers.get('location'), '/calendar/');
  } finally {
    await s.close();
  }
});
