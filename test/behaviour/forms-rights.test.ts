import assert from 'node:assert/strict';
import { test } from 'node:test';
import { below, browserAt, SOON } from '../support/browser.js';
import { fill, formIn, TIMES, writersAt } from '../support/forms.js';
import { behaviour, makeEvent, must, unique } from '../support/rows.js';

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
    const led = await stranger.post(path, { ...form, trash: '1' });
    assert.deepEqual([led.status, led.headers.get('location')], [303, `/sign-in?to=${encodeURIComponent(path)}`]);
    assert.equal((await stranger.post(path, { ...form, title: 'Taken' })).status, 403);
    assert.equal((await asShown(event.id)).title, event.title);
  });

  test('whose session ends while they type keeps what was entered, signs in beside it, and saves', async () => {
    const category = await must(s.post('/categories', { name: unique('Chosen') }, 'admin'));
    const browser = await as('admin');
    const [title, added] = [unique('Long "text"'), unique('Added')];
    const typed = { title, ...TIMES, 'categories[]': String(category.id), new_categories: added, featured: 'true' };
    const form = { ...formIn((await browser.get('/events/new')).text), ...typed };
    await browser.signOut();
    const refused = await browser.post('/events/new', form);
    assert.equal(refused.status, 403);
    assert.match(
      refused.text,
      /id="problem"><p>You are no longer signed in, .*?<a href="\/sign-in\?to=%2F" target="_blank">/,
    );
    assert.equal(refused.headers.get('cache-control'), 'private, no-store');
    const kept = formIn(refused.text);
    const { 'categories[]': chosen, new_categories, ...rest } = typed;
    for (const one of [chosen, `+${added}`])
      assert.ok(refused.text.includes(`<input type="hidden" name="categories[]" value="${one}">`), one);
    for (const [name, value] of Object.entries(rest)) assert.equal(kept[name], value, name);
    assert.equal(kept.status, 'publish');
    assert.ok(
      !refused.text.includes('type="checkbox" name="categories[]"'),
      'no categories are looked up for strangers',
    );
    assert.equal(kept.key, (form as Record<string, string>).key, 'it is the same form still');
    const edit = await browser.post('/event/edit/1', { ...form, image: '5', alt_text: 'A choir' });
    assert.match(edit.text, /<h1 dir="auto">Edit<.*name="image" value="5".*name="alt_text" value="A choir"/s);
    assert.ok(!edit.text.includes('name="trash"'));
    const foreign = { 'sec-fetch-site': 'cross-site' };
    assert.equal((await browser.post('/events/new', form, foreign)).status, 303, 'other sites fill in no forms');
    await browser.signIn('admin');
    const stale = await browser.post('/events/new', { ...kept, 'categories[]': chosen, new_categories });
    assert.equal(stale.status, 403);
    assert.match(stale.text, /id="problem"><p>You are signed in again\./);
    const saved = await browser.post('/events/new', formIn(stale.text));
    assert.equal(saved.status, 303, saved.text);
    const { events } = await must(
      s.ask('GET', '/events', { query: { search: `"${title}"`, starts_after: '2031-01-01' } }),
      200,
    );
    const names = (events[0].categories as { name: string }[]).map(({ name }) => name);
    assert.deepEqual(names.sort(), [added, category.name].sort());
  });

  test('what was entered is kept where the record is gone, or may no longer be changed', async () => {
    const [trashed, mine] = [await makeEvent(s, { ...SOON }), await makeEvent(s, { ...SOON }, 'author')];
    const tag = await must(s.post('/tags', { name: unique('gone') }, 'admin'));
    const author = await as('author');
    const forms = {
      trashed: formIn((await admin.get(`/event/edit/${trashed.id}`)).text),
      mine: formIn((await author.get(`/event/edit/${mine.id}`)).text),
      tag: formIn((await admin.get(`/tag/edit/${tag.id}`)).text),
    };
    await must(s.del(`/events/${trashed.id}`, 'editor'), 200);
    await must(s.patch(`/events/${mine.id}`, { author: s.users.admin.id }, 'admin'), 200);
    await must(s.del(`/tags/${tag.id}`, 'editor'), 200);
    const typed = { description: unique('Long "text"') };
    for (const [browser, path, form, trash] of [
      [admin, `/event/edit/${trashed.id}`, forms.trashed, true],
      [author, `/event/edit/${mine.id}`, forms.mine, true],
      [admin, `/tag/edit/${tag.id}`, forms.tag, false],
    ] as const) {
      const reply = await browser.post(path, { ...form, ...typed });
      assert.equal(reply.status, 404, path);
      assert.match(reply.text, /id="problem"><p>This is no longer here, or you may no longer change it\./);
      assert.equal(/<a href="\/events\/trash" target="_blank">Trash<\/a>/.test(reply.text), trash, path);
      const kept = formIn(reply.text);
      assert.deepEqual({ ...kept, token: '' }, { ...form, ...typed, token: '' });
      const foreign = await browser.post(path, { ...form, ...typed }, { 'sec-fetch-site': 'cross-site' });
      assert.ok(foreign.status === 404 && !foreign.text.includes('<form method="post" enctype'), 'not for other sites');
    }
    await must(s.patch(`/events/${trashed.id}`, { status: 'draft' }, 'admin'), 200);
    const late = await admin.post(`/event/edit/${trashed.id}`, { ...forms.trashed, ...typed });
    assert.equal(late.status, 412, 'once it is restored, it is compared');
    const subscriber = await as('subscriber');
    const reply = await subscriber.post('/event/edit/999999', { ...typed, token: await subscriber.tokenAt('/') });
    assert.ok(reply.status === 404 && !reply.text.includes('<form method="post" enctype'));
  });

  test('moved to the trash by two clicks, it is told once and well', async () => {
    for (let n = 0; n < 5; n++) {
      const path = `/event/edit/${(await makeEvent(s, { ...SOON })).id}`;
      const token = await admin.tokenAt(path);
      const replies = await Promise.all([1, 2].map(() => admin.post(path, { token, trash: '1' })));
      for (const { status, headers } of replies)
        assert.deepEqual([status, headers.get('location')], [303, '/events/trash?done=trashed']);
    }
  });

  test('each finds what they may write, and nothing else', async () => {
    const theirs = await makeEvent(s, { ...SOON, title: unique('Theirs') });
    const secret = await must(s.post('/events', { ...SOON, title: unique('Secret'), status: 'private' }, 'editor'));
    const [author, contributor, subscriber] = [await as('author'), await as('contributor'), await as('subscriber')];
    for (const browser of [author, contributor, subscriber]) {
      const refused = await browser.get(`/event/edit/${theirs.id}`);
      assert.deepEqual([refused.status, /<h1[^>]*>Sorry, you are not allowed/.test(refused.text)], [403, true]);
      assert.equal((await browser.get(`/event/edit/${secret.id}`)).status, 404, 'what they do not see does not exist');
      assert.equal((await browser.post(`/event/edit/${theirs.id}`, { token: await browser.tokenAt('/') })).status, 404);
      assert.ok(!(await browser.get(below(theirs.url))).text.includes('/event/edit/'));
    }
    for (const one of ['events', 'venues', 'organizers'])
      assert.equal((await subscriber.get(`/${one}/new`)).status, 403);
    assert.equal(
      (await subscriber.post('/events/new', { title: 'X', token: await subscriber.tokenAt('/') })).status,
      404,
    );
    assert.ok(!(await subscriber.get('/')).text.includes('/events/new'));
    assert.ok(!(await browserAt(s).get('/')).text.includes('/events/new'));
    assert.ok((await author.get('/')).text.includes('href="/events/new"'));
    const tagged = await fill(author, '/events/new', { title: 'X', ...TIMES, tags: unique('new') });
    assert.equal(tagged.status, 403);
    assert.match(tagged.text, /id="problem"><p>One of these tags does not exist yet, and you may not add new ones\./);
    assert.match(tagged.text, /name="tags"[^>]* aria-invalid="true"/);
    const title = unique('Proposed');
    const proposed = await fill(contributor, '/events/new', { title, ...TIMES });
    assert.match(proposed.headers.get('location') ?? '', /^\/\?post_type=tribe_events&p=\d+&done=saved$/);
    const form = (await contributor.get('/events/new')).text;
    assert.ok(!form.includes('value="publish"') && !form.includes('type="file"'), form);
    assert.equal((await admin.get('/event/edit/999999')).status, 404);
    assert.equal((await admin.get(`/venue/edit/${theirs.id}`)).status, 404);
  });
});
