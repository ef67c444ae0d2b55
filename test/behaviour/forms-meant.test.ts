import assert from 'node:assert/strict';
import { test } from 'node:test';
import { picture, upload } from '../security/support.js';
import { below, browserAt, SOON } from '../support/browser.js';
import { fill, formIn, TIMES, writersAt } from '../support/forms.js';
import { behaviour, makeEvent, must, unique } from '../support/rows.js';

/** E6: a form sends what its user meant, or says that it cannot; and what was done is told. */
behaviour('forms, as they are meant', async (s) => {
  const { as, asShown } = writersAt(s);
  const admin = await as('admin');
  /** The event that a form has just made. */
  const made = async (title: string) => {
    const query = { search: `"${title}"`, starts_after: '2031-01-01', status: 'any' };
    const { events } = await must(s.ask('GET', '/events', { query, as: 'admin' }), 200);
    assert.equal(events.length, 1, title);
    return events[0];
  };

  test('a cost is read as people write it; what would be read in another sense is not sent', async () => {
    const title = unique('Priced');
    assert.equal((await fill(admin, '/events/new', { title, ...TIMES, cost: '10,50 - 20,00 €' })).status, 303);
    const event = await made(title);
    assert.deepEqual([event.cost, event.cost_details.values], ['10.50€ – 20.00€', ['10.50', '20.00']]);
    const path = `/event/edit/${event.id}`;
    const wrong = await fill(admin, path, { cost: 'Adults 12, children 6' });
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /id="problem"><p>Cost: Please enter one amount/);
    assert.match(wrong.text, /name="cost" value="Adults 12, children 6"[^>]* aria-invalid="true"/);
    assert.equal((await asShown(event.id)).cost, event.cost);
    assert.equal((await fill(admin, path, { cost: '0' })).status, 303);
    assert.equal((await asShown(event.id)).cost, 'Free');
    const odd = await makeEvent(s, { ...SOON, title: unique('Odd'), cost: ['Adults 12', 'children 6'] });
    assert.equal((await fill(admin, `/event/edit/${odd.id}`, { featured: 'true' })).status, 303, 'as long as it stays');
    assert.equal((await asShown(odd.id)).cost, odd.cost);
  });

  test('names of tags may stand in one line, with commas; a tag that has one in its name keeps it', async () => {
    const [one, two, both] = [unique('Eins'), unique('Zwei'), unique('Rock, Pop')];
    const title = unique('Tagged');
    const event = await makeEvent(s, { ...SOON, title, tags: [{ name: both }] });
    assert.equal((await fill(admin, `/event/edit/${event.id}`, { tags: `${both}\n${one}, ${two},` })).status, 303);
    const names = ((await asShown(event.id)).tags as { name: string }[]).map(({ name }) => name);
    assert.deepEqual(names.sort(), [one, two, both].sort());
  });

  test('a website may be typed in letters of any alphabet', async () => {
    const event = await makeEvent(s, { ...SOON, title: unique('Umlaut') });
    const path = `/event/edit/${event.id}`;
    assert.equal((await fill(admin, path, { website: 'https://fürth.example/straße' })).status, 303);
    assert.equal((await asShown(event.id)).website, 'https://xn--frth-0ra.example/stra%C3%9Fe');
    assert.equal((await s.patch(`/events/${event.id}`, { website: 'https://fürth.example' }, 'admin')).status, 400);
  });

  test('an e-mail address is one', async () => {
    const { id } = await must(s.post('/organizers', { organizer: unique('Club') }, 'admin'), 201);
    const path = `/organizer/edit/${id}`;
    const refused = await fill(admin, path, { email: 'no email' });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /<p>Email: Please enter an email address/);
    assert.equal((await fill(admin, path, { email: 'büro@fürth.example' })).status, 303);
    await must(s.patch(`/organizers/${id}`, { email: 'ask the clerk' }, 'admin'), 200);
    const { text } = await admin.get(`/?post_type=tribe_organizer&p=${id}`);
    assert.ok(!text.includes('mailto:'), text);
  });

  test('a year of two digits is none, unless the event is as old as that', async () => {
    const years = (text: string): (string | undefined)[] =>
      [...text.matchAll(/<input type="date" name="\w+" value="[^"]*" required(?: min="(\S+)" max="\S+")?>/g)].map(
        ([, first]) => first,
      );
    assert.deepEqual(years((await admin.get('/events/new')).text), ['1000-01-01', '1000-01-01']);
    const old = { start_date: '0826-05-01 10:00:00', end_date: '2026-05-01 12:00:00' };
    const event = await makeEvent(s, { title: unique('Old'), ...old });
    assert.deepEqual(years((await admin.get(`/event/edit/${event.id}`)).text), [undefined, '1000-01-01']);
  });

  test('whole days need no times, all others do', async () => {
    const title = unique('Whole');
    const days = { start_date: '2031-03-05', end_date: '2031-03-06' };
    const form = { ...formIn((await admin.get('/events/new')).text), title, ...days };
    const refused = await admin.post('/events/new', form);
    assert.equal(refused.status, 400);
    assert.match(
      refused.text,
      /id="problem"><p>Starts, Ends: Please give the times as well, or tick “All day”\.<\/p><\/div>/,
    );
    assert.match(refused.text, /type="time" name="end_date_time"[^>]* aria-invalid="true"/);
    assert.equal((await admin.post('/events/new', { ...form, all_day: 'true' })).status, 303);
    const { id, start_date, end_date } = await made(title);
    assert.deepEqual([start_date, end_date], ['2031-03-05 00:00:00', '2031-03-06 23:59:59']);
    const path = `/event/edit/${id}`;
    const shown = formIn((await admin.get(path)).text);
    assert.deepEqual([shown.start_date, shown.end_date, shown.all_day], ['2031-03-05', '2031-03-06', 'true']);
    const { all_day, ...timed } = shown;
    assert.equal((await admin.post(path, timed)).status, 400, 'no longer whole days');
    assert.equal((await admin.post(path, { ...timed, ...TIMES })).status, 303);
    assert.equal((await asShown(id)).start_date, '2031-03-05 19:30:00');
  });

  test('whoever publishes an event publishes its place and organizer along, unless these are to stay private', async () => {
    const [title, hall, club] = [unique('Proposed'), unique('Gym'), unique('Club')];
    const contributor = await as('contributor');
    assert.equal(
      (await fill(contributor, '/events/new', { title, ...TIMES, venue: hall, organizer: club })).status,
      303,
    );
    const { id, venue, organizer } = await made(title);
    assert.deepEqual([venue.status, organizer[0].status], ['draft', 'draft']);
    const path = `/event/edit/${id}`;
    assert.equal((await fill(admin, path, { cost: '3' })).status, 303);
    assert.equal((await asShown(id)).venue.status, 'draft', 'it is not published yet');
    await must(s.patch(`/organizers/${organizer[0].id}`, { status: 'private' }, 'admin'), 200);
    assert.equal((await fill(admin, path, { status: 'publish' })).status, 303);
    const after = await asShown(id);
    assert.deepEqual([after.status, after.venue.status], ['publish', 'publish']);
    assert.equal(after.organizer[0].status, 'private');
    await must(s.patch(`/venues/${venue.id}`, { status: 'draft' }, 'admin'), 200);
    assert.equal((await fill(admin, path, { cost: '4' })).status, 303);
    assert.equal((await asShown(id)).venue.status, 'draft', 'nothing was said of it');
  });

  test('what a picture shows can be said afterwards', async () => {
    const image = await must(upload(s, await picture(40, 40), 'admin'));
    await must(s.patch(`/media/${image.id}`, { alt_text: 'A blue square' }, 'admin'), 200);
    const event = await makeEvent(s, { ...SOON, title: unique('Seen'), image: image.id });
    const path = `/event/edit/${event.id}`;
    const page = await admin.get(path);
    assert.equal(formIn(page.text).alt_text, 'A blue square');
    assert.match(page.text, /<img class="thumbnail" src="\/media\/[^"]+" alt=""> A picture has been saved\./);
    assert.ok(!(await admin.get('/events/new')).text.includes('A picture has been saved.'));
    assert.equal((await fill(admin, path, { alt_text: 'A "red" square' })).status, 303);
    assert.equal((await asShown(event.id)).image.alt_text, 'A "red" square');
    const before = (await must(s.ask('GET', `/media/${image.id}`, { as: 'admin' }), 200)).modified;
    assert.equal((await fill(admin, path, { cost: '2' })).status, 303);
    assert.equal((await must(s.ask('GET', `/media/${image.id}`, { as: 'admin' }), 200)).modified, before);
    const copied = formIn((await admin.get(`/events/new?copy=${event.id}`)).text);
    assert.deepEqual([copied.image, copied.alt_text], [String(image.id), 'A "red" square']);
    // Who may use the picture may not change its text, and need not.
    const author = await as('author');
    const copy = await author.post('/events/new', { ...copied, ...TIMES, token: await author.tokenAt('/events/new') });
    assert.equal(copy.status, 303, copy.text);
    const own = copy.headers.get('location')?.split('?')[0] ?? '';
    const theirs = /href="(\/event\/edit\/\d+)"/.exec((await author.get(own)).text)?.[1] ?? '';
    const refused = await fill(author, theirs, { title: 'Not yet', alt_text: 'Other' });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /id="problem"><p>The text of this picture can only be changed by whoever uploaded it/);
    assert.match(refused.text, /name="alt_text" value="Other"[^>]* aria-invalid="true"/);
    assert.equal((await author.post(theirs, { ...formIn(refused.text), alt_text: 'A "red" square' })).status, 303);
    assert.match((await author.get(own)).text, /<h1 dir="auto">Not yet</);
    const emptied = await fill(admin, path, { alt_text: '', end_date: '2020-01-01T10:00' });
    assert.deepEqual([emptied.status, formIn(emptied.text).alt_text], [400, ''], 'what was emptied stays so');
  });

  test('a copy has the same place, of several of that name, and the same cost, though nobody could type it', async () => {
    const name = unique('Town hall');
    await must(s.post('/venues', { venue: name, city: 'Porto' }, 'admin'));
    const faro = await must(s.post('/venues', { venue: name, city: 'Faro' }, 'admin'));
    for (const cost of [['0', '5'], 'from 5']) {
      const event = await makeEvent(s, { ...SOON, title: unique('Choir'), venue: faro.id, cost });
      const form = formIn((await admin.get(`/events/new?copy=${event.id}`)).text);
      const made = await admin.post('/events/new', { ...form, ...TIMES });
      assert.equal(made.status, 303, made.text);
      const query = { search: `"${event.title}"`, starts_after: '2031-01-01' };
      const [copy] = (await must(s.ask('GET', '/events', { query }), 200)).events;
      assert.deepEqual([copy.venue.id, copy.cost], [faro.id, event.cost]);
    }
  });

  test('a form that is sent twice at once is saved, also where what was typed is stored otherwise', async () => {
    const event = await makeEvent(s, { ...SOON, title: unique('Twice') });
    const path = `/event/edit/${event.id}`;
    const form = { ...formIn((await admin.get(path)).text), cost: '15', title: 'A & B <i>' };
    const both = await Promise.all([admin.post(path, form), admin.post(path, form)]);
    assert.deepEqual(
      both.map(({ status }) => status),
      [303, 303],
    );
    assert.equal((await admin.post(path, form)).status, 303);
    assert.equal((await asShown(event.id)).cost, '$15');
    // The next one, in another sense, is none of these.
    assert.equal((await fill(admin, path, { cost: '16' })).status, 303);
    assert.equal((await asShown(event.id)).cost, '$16');
  });

  test('what is unticked is taken away, and a category is not created again by a second click', async () => {
    const [name, fresh] = [unique('Only'), unique('Fresh & "new"')];
    const event = await makeEvent(s, { ...SOON, title: unique('Ticked'), featured: true, categories: [name] });
    const path = `/event/edit/${event.id}`;
    const { featured, 'categories[]': chosen, ...rest } = formIn((await admin.get(path)).text);
    assert.deepEqual([featured, chosen], ['true', String(event.categories[0].id)]);
    assert.equal((await admin.post(path, rest)).status, 303);
    const bare = await asShown(event.id);
    assert.deepEqual([bare.featured, bare.categories], [false, []]);
    const form = { ...formIn((await admin.get(path)).text), new_categories: `  ${fresh}  ` };
    const wrong = await admin.post(path, { ...form, new_categories: '</textarea><b>', timezone: 'No/Where' });
    assert.ok(wrong.status === 400 && !wrong.text.includes('<b>'), wrong.text);
    const twice = await Promise.all([admin.post(path, form), admin.post(path, form)]);
    assert.deepEqual(
      [...twice, await admin.post(path, form)].map(({ status }) => status),
      [303, 303, 303],
    );
    assert.equal((await asShown(event.id)).categories.length, 1);
  });

  test('all categories have a box', async () => {
    for (let n = 0; n < 51; n++) await must(s.post('/categories', { name: unique('Many') }, 'admin'));
    assert.ok((await admin.get('/events/new')).text.split('name="categories[]"').length > 51);
  });

  test('a form without a picture, or for those who may send none, is as good as any', async () => {
    const contributor = await as('contributor');
    const { text, headers } = await contributor.get('/events/new');
    assert.equal(headers.get('x-robots-tag'), 'noindex');
    assert.ok(!text.includes('name="trash"'));
    const body = new FormData();
    for (const [name, value] of Object.entries({ ...formIn(text), title: unique('Plain'), ...TIMES }))
      body.append(name, value);
    const cookie = contributor.cookie();
    const reply = await s.ask('POST', '~/events/new', { body, headers: { accept: 'text/html', cookie } });
    assert.equal(reply.status, 303, reply.text);
  });

  test('coordinates may have a decimal comma', async () => {
    const venue = await must(s.post('/venues', { venue: unique('Pier') }, 'admin'));
    const path = `/venue/edit/${venue.id}`;
    assert.equal((await fill(admin, path, { geo_lat: '53,5503', geo_lng: '9,9937' })).status, 303);
    const { geo_lat, geo_lng } = await must(s.get(`/venues/${venue.id}`), 200);
    assert.deepEqual([geo_lat, geo_lng], [53.5503, 9.9937]);
  });

  test('whoever was slower is led to what is there now', async () => {
    const event = await makeEvent(s, { ...SOON, title: unique('Slow') });
    const path = `/event/edit/${event.id}`;
    const seen = formIn((await admin.get(`/de${path}`)).text);
    await must(s.patch(`/events/${event.id}`, { cost: '7' }, 'admin'), 200);
    const late = await admin.post(`/de${path}`, { ...seen, title: 'Too late' });
    assert.equal(late.status, 412);
    assert.ok(late.text.includes(`<a href="/de${path}" target="_blank">Jetzige Fassung öffnen</a>`), late.text);
    assert.ok(late.text.includes('<h1 dir="auto">Bearbeiten: Too late</h1>'));
  });

  test('what was done is told to who did it, and to nobody else', async () => {
    const event = await makeEvent(s, { ...SOON, title: unique('Done') });
    const saved = await fill(admin, `/event/edit/${event.id}`, { cost: '5' });
    const at = saved.headers.get('location') ?? '';
    assert.equal(at, `${below(event.url)}?done=saved`);
    const told = '<p role="status">Saved.</p>';
    assert.ok((await admin.get(at)).text.includes(told));
    for (const other of [await as('subscriber'), browserAt(s)])
      assert.ok(!(await other.get(at)).text.includes('role="status"'));
    assert.ok(!(await admin.get(`${below(event.url)}?done=constructor`)).text.includes('role="status"'));
    const { text } = await admin.get(at);
    assert.ok(!/(canonical|og:url|hreflang)[^>]*done=/.test(text), 'no address of the page says it');
  });
});
