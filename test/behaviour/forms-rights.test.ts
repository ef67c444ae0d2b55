import assert from 'node:assert/strict';
import { test } from 'node:test';
import { below, browserAt, SOON } from '../support/browser.js';
import { fill, formIn, TIMES, writersAt } from '../support/forms.js';
import { behaviour, makeEvent, unique } from '../support/rows.js';

/** E6: who may write on pages, and by which form. */
behaviour('rights to forms', async (s) => {
  const { as, asShown } = writersAt(s);
  const admin = await as('admin');

  test('without the token of this session nothing is written', async () => {
    const event = await makeEvent(s, { ...SOON, title: unique('Guarded') });
    const path = `/event/edit/${event.id}`;
    const form = formIn((await admin.get(path)).text);
    const other = await (await as('editor')).tokenAt('/');
    for (const token of ['', 'x', other]) {
      for (const what of [{ title: 'Taken' }, { trash: '1' }] as Record<string, string>[]) {
        const reply = await admin.post(path, { ...form, ...what, token });
        assert.equal(reply.status, 403);
        assert.match(reply.text, /id="problem"><p>This form is out of date/);
      }
      assert.equal((await admin.post('/events/new', { ...form, title: unique('Made'), token })).status, 403);
    }
    const still = await asShown(event.id);
    assert.deepEqual([still.title, still.status], [event.title, 'publish']);
    const stranger = browserAt(s);
    const led = await stranger.post(path, { ...form, title: 'Taken' });
    assert.deepEqual([led.status, led.headers.get('location')], [303, `/sign-in?to=${encodeURIComponent(path)}`]);
    assert.equal((await asShown(event.id)).title, event.title);
  });

  test('each finds what they may write, and nothing else', async () => {
    const theirs = await makeEvent(s, { ...SOON, title: unique('Theirs') });
    const [author, contributor, subscriber] = [await as('author'), await as('contributor'), await as('subscriber')];
    for (const browser of [author, contributor, subscriber]) {
      assert.equal((await browser.get(`/event/edit/${theirs.id}`)).status, 404);
      assert.equal((await browser.post(`/event/edit/${theirs.id}`, { token: await browser.tokenAt('/') })).status, 404);
      assert.ok(!(await browser.get(below(theirs.url))).text.includes('/event/edit/'));
    }
    assert.equal((await subscriber.get('/events/new')).status, 404);
    assert.equal(
      (await subscriber.post('/events/new', { title: 'X', token: await subscriber.tokenAt('/') })).status,
      404,
    );
    assert.ok(!(await subscriber.get('/')).text.includes('/events/new'));
    assert.ok(!(await browserAt(s).get('/')).text.includes('/events/new'));
    assert.ok((await author.get('/')).text.includes('href="/events/new"'));
    const tagged = await fill(author, '/events/new', { title: 'X', ...TIMES, tags: unique('new') });
    assert.equal(tagged.status, 403);
    assert.match(tagged.text, /id="problem"><p>Tags: /);
    assert.match(tagged.text, /name="tags"[^>]* aria-invalid="true"/);
    const title = unique('Proposed');
    const proposed = await fill(contributor, '/events/new', { title, ...TIMES });
    assert.match(proposed.headers.get('location') ?? '', /^\/\?post_type=tribe_events&p=\d+$/);
    const form = (await contributor.get('/events/new')).text;
    assert.ok(!form.includes('value="publish"') && !form.includes('type="file"'), form);
    assert.equal((await admin.get('/event/edit/999999')).status, 404);
    assert.equal((await admin.get(`/venue/edit/${theirs.id}`)).status, 404);
  });
});
