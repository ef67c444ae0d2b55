import assert from 'node:assert/strict';
import { test } from 'node:test';
import { below, browserAt, SOON } from '../support/browser.js';
import { fill, formIn, TIMES, writersAt } from '../support/forms.js';
import { behaviour, makeEvent, must, unique } from '../support/rows.js';

/** E6: on pages, too, those who manage categories and tags (E1) rename, move and remove them. */
behaviour('forms of categories and tags', async (s) => {
  const { as } = writersAt(s);
  const [admin, author, contributor] = [await as('admin'), await as('author'), await as('contributor')];
  const category = (more: object = {}) => must(s.post('/categories', { name: unique('Sort'), ...more }, 'admin'));
  const now = (id: number, plural = 'categories') => must(s.ask('GET', `/${plural}/${id}`), 200);
  const choices = (text: string): string[] =>
    [...(/<select name="parent"[^>]*>(.*?)<\/select>/s.exec(text)?.[1] ?? '').matchAll(/value="(\d*)"/g)].map(
      ([, id = '']) => id,
    );

  test('a category is renamed, described and moved; its address stays', async () => {
    const [above, one] = [await category(), await category({ name: 'Musik & “Tanz”' })];
    const below1 = await category({ parent: one.id });
    const below2 = await category({ parent: below1.id });
    const path = `/category/edit/${one.id}`;
    assert.ok((await author.get(below(one.url))).text.includes(`href="${path}"`));
    const { text } = await author.get(path);
    assert.deepEqual([formIn(text).name, formIn(text).parent], ['Musik & “Tanz”', '']);
    const offered = choices(text);
    assert.ok(offered.includes('') && offered.includes(String(above.id)));
    for (const { id } of [one, below1, below2]) assert.ok(!offered.includes(String(id)), 'no circles are offered');
    const filled = { name: 'Musik', description: 'Was <b>klingt</b>', parent: String(above.id) };
    const reply = await fill(author, path, filled);
    assert.equal(reply.status, 303, reply.text);
    const changed = await now(one.id);
    assert.deepEqual([changed.name, changed.description, changed.parent], ['Musik', 'Was <b>klingt</b>', above.id]);
    assert.equal(changed.slug, one.slug);
    assert.equal(reply.headers.get('location'), `${below(changed.url)}?done=saved`);
    const page = (await author.get(below(changed.url))).text;
    assert.match(page, new RegExp(`<p><a href="${below(above.url)}"[^>]*>${above.name}</a> › <bdi>Musik</bdi></p>`));
    // Sent as it is, nothing changes; to the top again.
    assert.equal((await fill(author, path, {})).status, 303);
    assert.deepEqual(await now(one.id), changed);
    assert.equal((await fill(author, path, { parent: '' })).status, 303);
    assert.equal((await now(one.id)).parent, 0);
  });

  test('what is refused is told in the words of the form; others who were quicker are not overwritten', async () => {
    const one = await category();
    const path = `/category/edit/${one.id}`;
    const blank = await fill(admin, path, { name: ' ' });
    assert.equal(blank.status, 400);
    assert.match(blank.text, /id="problem"><p>[^<]+</);
    const circle = await fill(admin, path, { parent: String(one.id) });
    assert.equal(circle.status, 400);
    assert.match(circle.text, /id="problem"><p>A category cannot be its own ancestor/);
    const form = formIn((await admin.get(path)).text);
    await must(s.patch(`/categories/${one.id}`, { name: unique('Quicker') }, 'admin'), 200);
    assert.equal((await admin.post(path, { ...form, name: 'Slower' })).status, 412);
    assert.match((await now(one.id)).name, /^Quicker/);
  });

  test('a name that is refused is told by its label, and marked', async () => {
    const one = await category();
    const long = 'x'.repeat(201);
    const refused = async (path: string, changed: Record<string, string>, told: RegExp, marked: RegExp) => {
      const { status, text } = await fill(admin, path, changed);
      assert.equal(status, 400, path);
      assert.match(text, told);
      assert.match(text, marked);
    };
    await refused(
      `/category/edit/${one.id}`,
      { name: long },
      /<p>Name is too long: at most 200/,
      /name="name"[^>]* aria-invalid="true"/,
    );
    const event = { title: unique('Named'), ...TIMES };
    const [tags, categories] = [
      /name="tags"[^>]* aria-invalid="true"/,
      /name="new_categories"[^>]* aria-invalid="true"/,
    ];
    const add = (changed: Record<string, string>, told: RegExp, marked: RegExp) =>
      refused('/events/new', { ...event, ...changed }, told, marked);
    await add({ tags: long }, /<p>Tags is too long: at most 200/, tags);
    await add({ tags: '<b></b>' }, /<p>Tags: /, tags);
    await add({ new_categories: long }, /<p>Categories is too long: at most 200/, categories);
    await add({ title: '<b></b>' }, /<p>Title: /, /name="title"[^>]* aria-invalid="true"/);
    await add({ venue: '<b></b>' }, /<p>Where: /, /name="venue\[\]"[^>]* aria-invalid="true"/);
  });

  test('removing needs a tick, takes it from its events, and what is below moves up', async () => {
    const one = await category();
    const inner = await category({ parent: one.id });
    const event = await makeEvent(s, { ...SOON, title: unique('Sorted'), categories: [one.id] });
    const path = `/category/edit/${one.id}`;
    const { text } = await admin.get(path);
    assert.match(text, /<input type="checkbox" name="trash" value="1" required>/);
    const token = formIn(text).token ?? '';
    assert.equal((await admin.post(path, { token })).status, 303, 'without the tick it is saved as it was');
    await now(one.id);
    const reply = await admin.post(path, { token, trash: '1' });
    assert.deepEqual([reply.status, reply.headers.get('location')], [303, '/events/?done=removed']);
    assert.match((await admin.get('/events/?done=removed')).text, /<p role="status">Removed\.</);
    assert.equal((await s.ask('GET', `/categories/${one.id}`)).status, 404);
    assert.equal((await now(inner.id)).parent, 0);
    assert.deepEqual((await must(s.ask('GET', `/events/${event.id}`), 200)).categories, []);
    const again = await admin.post(path, { token, trash: '1' });
    assert.deepEqual([again.status, again.headers.get('location')], [303, '/events/?done=removed']);
  });

  test('tags have neither a place in a tree nor authors who manage them', async () => {
    const tag = await must(s.post('/tags', { name: unique('quiet') }, 'admin'));
    const path = `/tag/edit/${tag.id}`;
    assert.ok((await admin.get(below(tag.url))).text.includes(`href="${path}"`));
    assert.ok(!(await author.get(below(tag.url))).text.includes(path));
    assert.ok(!(await admin.get(path)).text.includes('name="parent"'));
    assert.equal((await fill(admin, path, { name: 'Silent' })).status, 303);
    assert.equal((await now(tag.id, 'tags')).name, 'Silent');
    assert.equal((await author.get(path)).status, 403);
    const refused = await author.post(path, { token: await author.tokenAt('/'), trash: '1' });
    assert.deepEqual([refused.status, refused.headers.get('location')], [303, '/events/'], 'nothing is said of it');
    await now(tag.id, 'tags');
  });

  test('those who may not get no form; an empty category is shown to those who manage it', async () => {
    const one = await category();
    const path = `/category/edit/${one.id}`;
    assert.equal((await contributor.get(path)).status, 403);
    assert.ok(!(await contributor.get(below(one.url))).text.includes(path));
    const led = await browserAt(s).get(path);
    assert.deepEqual([led.status, led.headers.get('location')], [303, `/sign-in?to=${encodeURIComponent(path)}`]);
    assert.ok((await author.get('/events/')).text.includes(one.name));
    for (const other of [contributor, browserAt(s)]) assert.ok(!(await other.get('/events/')).text.includes(one.name));
    // The form of a category is none for an event, and the other way round.
    const event = await makeEvent(s, { ...SOON, title: unique('Other') });
    assert.equal((await admin.get(`/category/edit/${event.id + 100_000}`)).status, 404);
    assert.equal((await admin.get(`/tag/edit/${one.id}`)).status, 404);
  });
});
