import assert from 'node:assert/strict';
import { test } from 'node:test';
import { below, browserAt, SOON } from '../support/browser.js';
import { fill, writersAt } from '../support/forms.js';
import { behaviour, makeEvent, must, unique } from '../support/rows.js';

/** E6: on pages, too, those who write find again what others do not see, and get back what they threw away. */

const [UNPUBLISHED, TRASH] = ['/events/unpublished', '/events/trash'];

behaviour('unpublished and trashed', async (s) => {
  const { as, asShown } = writersAt(s);
  const [admin, author, contributor, subscriber] = [
    await as('admin'),
    await as('author'),
    await as('contributor'),
    await as('subscriber'),
  ];

  test('an empty list says so', async () => {
    for (const path of [UNPUBLISHED, TRASH]) {
      const { status, text, headers } = await author.get(path);
      assert.equal(status, 200);
      assert.match(text, /There is nothing here/);
      assert.equal(headers.get('x-robots-tag'), 'noindex');
      assert.equal(headers.get('cache-control'), 'private, no-store');
    }
  });

  test('what is not published is listed with its status, whatever its dates; to each what they may see', async () => {
    const past = { start_date: '2019-05-01 10:00', end_date: '2019-05-01 12:00' };
    const far = { start_date: '2099-05-01 10:00', end_date: '2099-05-01 12:00' };
    const [old, proposed, hidden, shown] = [unique('Old'), unique('Proposed'), unique('Hidden'), unique('Shown')];
    await makeEvent(s, { ...past, title: `${old} & <b>"more"</b>`, status: 'draft' });
    const [ancient, planned] = [unique('Ancient'), unique('Planned')];
    await makeEvent(s, { start_date: '1950-01-01', end_date: '1950-01-02', title: ancient, status: 'draft' });
    await makeEvent(s, { ...far, title: planned, status: 'publish', date: '2031-01-01 10:00' });
    await must(s.post('/events', { ...far, title: proposed, status: 'pending' }, 'contributor'));
    await makeEvent(s, { ...SOON, title: hidden, status: 'private', hide_from_listings: true });
    await makeEvent(s, { ...SOON, title: shown });
    const [hall, troupe] = [unique('Hall to be'), unique('Troupe to be')];
    await must(s.post('/venues', { venue: hall, status: 'draft' }, 'admin'));
    await must(s.post('/organizers', { organizer: troupe, status: 'pending' }, 'admin'));
    const { text } = await admin.get(UNPUBLISHED);
    assert.match(text, new RegExp(`>${old} &amp; &quot;more&quot;</a></strong> <small>\\(Draft\\)<`));
    assert.match(text, new RegExp(`>${proposed}</a></strong> <small>\\(Pending review\\)<`));
    assert.match(text, new RegExp(`>${hidden}</a></strong> <small>\\(Private, Hidden from lists\\)<`));
    assert.match(text, new RegExp(`<h2>Venues</h2>.*>${hall}</a></strong> <small>\\(Draft\\)<`, 's'));
    assert.match(text, new RegExp(`<h2>Organizers</h2>.*>${troupe}</a></strong> <small>\\(Pending review\\)<`, 's'));
    assert.match(text, new RegExp(`>${planned}</a></strong> <small>\\(Scheduled\\)<`));
    assert.match(text, new RegExp(`<time datetime="1950-[^<]*</time>.*>${ancient}<`));
    assert.ok(!text.includes(shown));
    const own = (await contributor.get(UNPUBLISHED)).text;
    assert.ok(own.includes(proposed) && !own.includes(old) && !own.includes(hall), own);
    assert.match((await admin.get(`/de${UNPUBLISHED}`)).text, /href="\/de\/\?post_type=tribe_events&amp;p=\d+"/);
    assert.match((await admin.get('/')).text, new RegExp(`href="${UNPUBLISHED}".*href="${TRASH}"`, 's'));
  });

  test('nobody else has these pages', async () => {
    for (const path of [UNPUBLISHED, TRASH]) {
      const led = await browserAt(s).get(path);
      assert.deepEqual([led.status, led.headers.get('location')], [303, `/sign-in?to=${encodeURIComponent(path)}`]);
      assert.equal((await subscriber.get(path)).status, 404);
      assert.equal((await admin.get(`${path}?page=2`)).status, 404);
      assert.equal((await admin.get(`${path}?page=x`)).status, 404);
      assert.ok(!(await subscriber.get('/')).text.includes(path));
    }
  });

  test('what was thrown away is found in the trash, and comes back as a draft', async () => {
    const [concert, loft, choir] = [unique('Concert &'), unique('Loft'), unique('Choir')];
    const kinds = [
      ['event', concert.replace('&', '&amp;'), await makeEvent(s, { ...SOON, title: `${concert} "live"` })],
      ['venue', loft, await must(s.post('/venues', { venue: loft }, 'admin'))],
      ['organizer', choir, await must(s.post('/organizers', { organizer: choir }, 'admin'))],
    ] as const;
    for (const [kind, name, { id, url }] of kinds) {
      const path = `/${kind}/edit/${id}`;
      const gone = await admin.post(path, { token: await admin.tokenAt(path), trash: '1' });
      assert.deepEqual([gone.status, gone.headers.get('location')], [303, `${TRASH}?done=trashed`]);
      const { text } = await admin.get(TRASH);
      assert.ok(!text.includes(below(url)), 'what is in the trash has no page');
      assert.match(
        text,
        new RegExp(`action="${path}">.*?<button name="restore"[^>]* aria-label="Restore as a draft: ${name}`, 's'),
      );
      assert.match(text, new RegExp(`<strong dir="auto">${name}[^<]*</strong>`));
      assert.equal((await admin.get(path)).status, 404);
      const again = await admin.post(path, { token: await admin.tokenAt('/'), trash: '1' });
      assert.deepEqual([again.status, again.headers.get('location')], [303, `${TRASH}?done=trashed`], 'a double click');
      assert.ok((await admin.get(`/de${TRASH}`)).text.includes(`action="/de${path}"`));
      const back = await admin.post(`/de${path}`, { token: await admin.tokenAt(TRASH), restore: '1' });
      assert.deepEqual([back.status, back.headers.get('location')], [303, `/de${path}?done=restored`]);
      assert.equal((await admin.get(path)).status, 200);
      assert.ok((await admin.get(UNPUBLISHED)).text.includes(`>${name}`));
      assert.ok(!(await admin.get(TRASH)).text.includes(path));
    }
  });

  test('who may not, or sends no token, brings nothing back; what was published meanwhile stays so', async () => {
    const event = await makeEvent(s, { ...SOON, title: unique('Guarded'), categories: [unique('Kept')] });
    const path = `/event/edit/${event.id}`;
    await must(s.del(`/events/${event.id}`, 'admin'), 200);
    const isTrashed = async () => (await s.ask('GET', `/events/${event.id}`, { as: 'admin' })).json?.code;
    for (const [browser, status, token] of [
      [admin, 303, 'x'],
      [admin, 303, await author.tokenAt('/')],
      [author, 404, await author.tokenAt('/')],
      [subscriber, 404, await subscriber.tokenAt('/')],
      [browserAt(s), 303, ''],
    ] as const) {
      const reply = await browser.post(path, { token, restore: '1' });
      assert.equal(reply.status, status, reply.text);
      assert.equal(await isTrashed(), 'event-no-longer-available');
    }
    const led = await browserAt(s).post(`/de${path}`, { restore: '1' });
    assert.equal(led.headers.get('location'), `/de/sign-in?to=${encodeURIComponent(`/de${TRASH}`)}`);
    for (const browser of [admin, subscriber]) {
      const { status } = await browser.post('/events/new', { token: await browser.tokenAt('/'), restore: '1' });
      assert.ok(status < 500, String(status));
    }
    await must(s.patch(`/events/${event.id}`, { status: 'publish' }, 'admin'), 200);
    const late = await admin.post(path, { token: await admin.tokenAt('/'), restore: '1' });
    assert.deepEqual([late.status, late.headers.get('location')], [303, path]);
    const { status, categories } = await asShown(event.id);
    assert.deepEqual([status, categories.length], ['publish', 1]);
  });

  test('lists show those who may edit it what they have hidden, marked; others do not find it (B12)', async () => {
    const title = unique('Unlisted');
    const event = await makeEvent(s, { start_date: 'today 23:00', end_date: 'tomorrow 23:30', title });
    assert.equal((await fill(admin, `/event/edit/${event.id}`, { hide_from_listings: 'true' })).status, 303);
    const mark = `>${title}</a></strong> <small>\\(Hidden from lists\\)<`;
    for (const path of ['/', '/events/']) {
      assert.match((await admin.get(path)).text, new RegExp(mark), path);
      for (const other of [author, subscriber, browserAt(s)])
        assert.ok(!(await other.get(path)).text.includes(title), path);
    }
    assert.match((await admin.get('/events/month/')).text, new RegExp(`>${title}</a> <small>\\(Hidden from lists\\)<`));
    assert.match(
      (await admin.get(below(event.url))).text,
      /<p role="note"> <small>\(Hidden from lists\)<\/small><\/p>/,
    );
  });

  test('everybody finds the venues and organizers that they may see', async () => {
    const [hall, secret] = [unique('Hall & "more"'), unique('Hall to be')];
    const venue = await must(s.post('/venues', { venue: hall, address: 'Quay <1>', city: 'Porto' }, 'admin'));
    await must(s.post('/venues', { venue: secret, status: 'draft' }, 'admin'));
    const club = await must(s.post('/organizers', { organizer: unique('Club') }, 'admin'));
    const stranger = browserAt(s);
    const { status, text, headers } = await stranger.get('/venues/');
    assert.equal(status, 200);
    assert.ok(text.includes(`href="${below(venue.url)}"`), text);
    assert.match(text, /<bdi>Quay .*?, Porto<\/bdi>/);
    assert.ok(!text.includes(secret) && !text.includes('<1>'), text);
    assert.equal(headers.get('x-robots-tag'), null);
    assert.ok(text.includes(`<link rel="canonical" href="${s.home}/venues/">`));
    assert.ok((await admin.get('/venues/')).text.includes(`${secret}</a></strong> <small>(Draft)`));
    assert.ok((await stranger.get('/de/organizers/')).text.includes(`href="/de${below(club.url)}"`));
    assert.equal((await stranger.get('/venues/?page=99')).status, 404);
  });

  test('an event keeps the place that was thrown away, also if it is changed meanwhile', async () => {
    const venue = await must(s.post('/venues', { venue: unique('Loft') }, 'admin'));
    const event = await makeEvent(s, { ...SOON, title: unique('Placed'), venue: venue.id });
    await must(s.del(`/venues/${venue.id}`, 'admin'), 200);
    assert.equal((await fill(admin, `/event/edit/${event.id}`, { title: 'Other' })).status, 303);
    await must(s.patch(`/venues/${venue.id}`, { status: 'publish' }, 'admin'), 200);
    assert.equal((await asShown(event.id)).venue.id, venue.id);
  });

  test('long lists have pages', async () => {
    const title = unique('Many');
    for (let n = 0; n < 51; n++) await must(s.post('/events', { ...SOON, title, status: 'draft' }, 'author'));
    const [first, second] = [await author.get(UNPUBLISHED), await author.get(`${UNPUBLISHED}?page=2`)];
    const count = (text: string): number => text.split(`>${title}<`).length - 1;
    assert.deepEqual([count(first.text), count(second.text)], [50, 1]);
    assert.match(first.text, /rel="next" href="\?page=2">Next page</);
    assert.match(second.text, /rel="prev" href="\?page=1">Previous page</);
    assert.ok(!first.text.includes('rel="prev"') && !second.text.includes('rel="next"'));
    assert.equal((await author.get(`${UNPUBLISHED}?page=3`)).status, 404);
  });
});
