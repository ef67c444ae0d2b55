import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { makeEvent, must, newEvent, unique } from '../support/rows.js';
import { type Ask, type Reply, startServer, type TestServer } from '../support/server.js';

/** `If-None-Match: *`: a write that would meet a record that is there already does nothing. */
describe('If-None-Match: * on writes', () => {
  let s: TestServer;
  let other: TestServer;
  before(async () => {
    s = await startServer();
    other = await startServer({}, s);
  });
  after(async () => {
    await other.close();
    await s.close();
  });
  const KINDS: Record<string, () => Record<string, unknown>> = {
    events: newEvent,
    venues: () => ({ venue: unique('Venue') }),
    organizers: () => ({ organizer: unique('Organizer') }),
    categories: () => ({ name: unique('Category') }),
    tags: () => ({ name: unique('Tag') }),
  };
  const ifNew = (at: string, json: unknown, more: Ask & { method?: string; at?: TestServer } = {}): Promise<Reply> =>
    (more.at ?? s).ask(more.method ?? 'POST', at, { as: 'admin', json, ...more, headers: { 'if-none-match': '*' } });
  const assertRefused = (reply: Reply): void => {
    assert.equal(reply.status, 412, reply.text);
    assert.equal(reply.json.code, 'precondition-failed');
  };
  /** How many records have a slug that begins so. */
  async function having(plural: string, slug: string): Promise<number> {
    const table = { events: 'event', venues: 'venue', organizers: 'organizer' }[plural] ?? 'term';
    const rows = await s.database.read((db) => db.all(db.q.selectFrom(table as 'event').select('slug')));
    return rows.filter((row) => row.slug.startsWith(slug)).length;
  }

  for (const [plural, body] of Object.entries(KINDS)) {
    test(`${plural}: made once, refused when the slug is taken, made under another slug when nobody minds`, async () => {
      const slug = `only-${plural}`;
      const made = await must(ifNew(`/${plural}`, { ...body(), slug }));
      assert.equal(made.slug, slug);
      assertRefused(await ifNew(`/${plural}`, { ...body(), slug: `Only ${plural}!` }));
      assert.equal(await having(plural, slug), 1);
      assert.equal((await must(s.post(`/${plural}`, { ...body(), slug }, 'admin'))).slug, `${slug}-2`);
      assert.notEqual((await must(ifNew(`/${plural}`, body()))).slug, '', 'who asks for no slug gets a free one');
    });

    test(`${plural}: of many at once on two instances exactly one is made`, async () => {
      const slug = `race-${plural}`;
      const replies = await Promise.all(
        Array.from({ length: 12 }, (_, n) => ifNew(`/${plural}`, { ...body(), slug }, { at: n % 2 === 0 ? s : other })),
      );
      const refused = replies.filter((reply) => reply.status !== 201);
      assert.equal(refused.length, 11);
      refused.forEach(assertRefused);
      assert.equal(await having(plural, slug), 1);
    });
  }

  test('a venue that is the same in everything counts as there (D9), and a term of the same name', async () => {
    for (const [plural, body] of [
      ['venues', { venue: 'Twin', slug: 'twin' }],
      ['organizers', { organizer: 'Twin', slug: 'twin' }],
      ['tags', { name: 'Twin', slug: 'twin' }],
    ] as const) {
      await must(ifNew(`/${plural}`, body));
      assertRefused(await ifNew(`/${plural}`, body));
    }
  });

  test('nothing of a refused write stays: no new venue, no new term', async () => {
    const { slug } = await makeEvent(s);
    const [venue, tag] = [unique('Hall'), unique('Word')];
    assertRefused(await ifNew('/events', newEvent({ slug, venue: { venue }, tags: [tag] })));
    assert.equal((await s.get('/venues', { search: venue }, 'admin')).json.total, 0);
    assert.equal((await s.get('/tags', { search: tag, hide_empty: 0 }, 'admin')).json.total, 0);
  });

  test('updates and removals of what is there are refused, by id and by slug, though a word hides it', async () => {
    for (const more of [{}, { password: 'word' }, { status: 'private' }]) {
      const { id, slug, title } = await makeEvent(s, more);
      for (const at of [`/events/${id}`, `/events/by-slug/${slug}`]) {
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
          assertRefused(await ifNew(at, { title: 'Changed' }, { method }));
      }
      const row = await must(s.get(`/events/${id}`, { context: 'edit' }, 'admin'), 200);
      assert.deepEqual([row.title, row.status], [title, more.status ?? 'publish']);
    }
  });

  test('what is not there is not made by an update', async () => {
    assert.equal((await ifNew('/events/by-slug/nowhere', { title: 'x' }, { method: 'PUT' })).status, 404);
  });

  test('whoever may not write is told so, and not whether a slug is taken', async () => {
    const { id, slug } = await makeEvent(s, { status: 'draft', slug: 'hidden-draft' });
    for (const [as, status] of [
      [undefined, 401],
      ['subscriber', 403],
    ] as const) {
      for (const asked of [slug, 'hidden-nothing'])
        assert.equal((await ifNew('/events', newEvent({ slug: asked }), { as })).status, status);
      assert.equal((await ifNew(`/events/${id}`, {}, { as, method: 'PATCH' })).status, status);
    }
    assert.equal((await ifNew('/events', { slug }, {})).status, 400, 'and so is one who says too little');
  });

  test('in the trash a record gives its slug free', async () => {
    const { id, slug } = await makeEvent(s);
    await must(s.del(`/events/${id}`, 'admin'), 200);
    assert.equal((await must(ifNew('/events', newEvent({ slug })))).slug, slug);
  });

  test('with a key: done once, and answered as the first time; a refusal gives the key back', async () => {
    const ask = (key: string, slug: string) =>
      s.ask('POST', '/events', {
        as: 'admin',
        json: { ...newEvent(), title: 'Keyed', slug },
        headers: { 'if-none-match': '*', 'idempotency-key': key },
      });
    const first = await must(ask('a', 'keyed'));
    assert.equal((await must(ask('a', 'keyed'))).id, first.id);
    assertRefused(await ask('b', 'keyed'));
    assert.equal((await must(ask('b', 'keyed-other'))).slug, 'keyed-other');
  });
});
