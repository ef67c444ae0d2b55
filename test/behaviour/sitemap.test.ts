import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { SOON } from '../support/browser.js';
import { behaviour, makeEvent, must, unique } from '../support/rows.js';

/** Search engines learn of every page that everybody finds, and of no other (C5, E2). */
behaviour('sitemap', async (s) => {
  const locations = (text: string): string[] => [...text.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, one = '']) => one);
  const parts = async (): Promise<string[]> => {
    const { status, text, headers } = await s.ask('GET', '~/sitemap.xml');
    assert.equal(status, 200);
    assert.match(headers.get('content-type') ?? '', /^application\/xml/);
    return locations(text);
  };
  const pages = async (): Promise<string[]> => {
    const all = await Promise.all((await parts()).map((part) => s.ask('GET', part)));
    return all.flatMap(({ text }) => locations(text));
  };

  test('an empty calendar has an index without parts', async () => {
    assert.deepEqual(await parts(), []);
    assert.equal((await s.ask('GET', '~/sitemap-event-0.xml')).status, 404);
  });

  test('it names published events, venues and organizers, and nothing that is not public', async () => {
    const shown = [
      await makeEvent(s, { ...SOON, title: unique('Café & “more”') }),
      await makeEvent(s, { start_date: '2015-01-01 10:00', end_date: '2015-01-01 11:00', title: unique('Long ago') }),
      await must(s.post('/venues', { venue: unique('Hall') }, 'admin')),
      await must(s.post('/organizers', { organizer: unique('Choir 合唱') }, 'admin')),
    ];
    for (const more of [{ status: 'draft' }, { status: 'private' }, { password: 'x' }, { hide_from_listings: true }])
      await makeEvent(s, { ...SOON, title: unique('Hidden'), ...more });
    const gone = await makeEvent(s, { ...SOON, title: unique('Gone') });
    await must(s.del(`/events/${gone.id}`, 'admin'), 200);
    await must(s.post('/venues', { venue: unique('Hall to be'), status: 'draft' }, 'admin'));
    assert.deepEqual((await pages()).sort(), shown.map(({ url }) => url).sort());
    for (const { url } of shown) assert.equal((await s.ask('GET', url)).status, 200);
    const [part = ''] = await parts();
    const { text, headers } = await s.ask('GET', part);
    assert.match(text, /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<urlset xmlns="http:\/\/www\.sitemaps\.org/);
    const { url, modified_utc } = shown[0] as { url: string; modified_utc: string };
    assert.ok(text.includes(`<loc>${url}</loc><lastmod>${modified_utc.replace(' ', 'T')}+00:00</lastmod>`), text);
    assert.deepEqual([headers.get('x-robots-tag'), headers.get('vary')], ['noindex', 'Accept-Encoding']);
    const again = await s.ask('GET', part, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
    assert.equal(again.status, 304);
    assert.deepEqual(await parts(), [part, `${s.home}/sitemap-venue-0.xml`, `${s.home}/sitemap-organizer-0.xml`]);
  });

  test('parts have a limited size; those without records are left out', async () => {
    const known = await pages();
    await s.database.write((db) => db.run(sql`UPDATE counter SET value = 19999 WHERE name = 'record'`));
    const later = await makeEvent(s, { ...SOON, title: unique('Later') });
    assert.equal(later.id, 20_000);
    const at = `${s.home}/sitemap-event-4.xml`;
    assert.ok((await parts()).includes(at), String(await parts()));
    assert.deepEqual(locations((await s.ask('GET', at)).text), [later.url]);
    assert.deepEqual((await pages()).sort(), [...known, later.url].sort());
    for (const path of [
      '~/sitemap-event-3.xml',
      '~/sitemap-event-5.xml',
      '~/sitemap-tag-0.xml',
      '~/sitemap-event-x.xml',
    ])
      assert.equal((await s.ask('GET', path)).status, 404, path);
  });

  test('what is kept of it is told apart, and forgotten when something changes', async () => {
    const gone = await makeEvent(s, { ...SOON, title: unique('Short') });
    // What was made before everybody had heard of the last change is not kept.
    await sleep(2100);
    const paths = ['~/sitemap.xml', '~/sitemap-event-0.xml', '~/sitemap-event-4.xml', '~/sitemap-venue-0.xml'];
    const all = async () => Promise.all(paths.map(async (path) => (await s.ask('GET', path)).text));
    const first = await all();
    assert.deepEqual(await all(), first);
    assert.equal(new Set(first).size, paths.length);
    assert.ok(first[2]?.includes(gone.url), first[2]);
    await must(s.del(`/events/${gone.id}`, 'admin'), 200);
    assert.ok(!(await all())[2]?.includes(gone.url));
  });
});
