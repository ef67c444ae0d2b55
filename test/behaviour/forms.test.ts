import assert from 'node:assert/strict';
import { test } from 'node:test';
import { picture, upload } from '../security/support.js';
import { below, SOON } from '../support/browser.js';
import { fill, formIn, TIMES, writersAt } from '../support/forms.js';
import { behaviour, makeEvent, must, unique } from '../support/rows.js';
import type { Reply } from '../support/server.js';

/** E6: people enter and change records on pages, and the interface decides as it does for programs. */

behaviour(
  'forms',
  async (s) => {
    const { as, asShown } = writersAt(s);
    const admin = await as('admin');

    test('a new event says what was filled in, and leads to its page; sent twice it is one', async () => {
      const [title, hall] = [unique('Tom & "Jerry" <live>'), unique('Hall, upstairs')];
      const category = await must(s.post('/categories', { name: unique('Music') }, 'admin'));
      const { text } = await admin.get('/events/new');
      const form = {
        ...formIn(text),
        title,
        ...TIMES,
        timezone: 'Europe/Lisbon',
        venue: hall,
        organizer: 'Ada\r\n\r\nBob',
        description: 'One\r\ntwo\r\n\r\nThree & four',
        'categories[]': String(category.id),
        tags: '2084\r\nquiet',
        cost: '12',
        featured: 'true',
      };
      const first = await admin.post('/events/new', form);
      assert.equal(first.status, 303, first.text);
      const again = await admin.post('/events/new', form);
      assert.equal(again.headers.get('location'), first.headers.get('location'));
      // Whoever goes back and changes it has another one.
      const other = await admin.post('/events/new', { ...form, venue: unique('Elsewhere') });
      assert.equal(other.status, 303, other.text);
      assert.notEqual(other.headers.get('location'), first.headers.get('location'));
      const { events } = await must(
        s.ask('GET', '/events', { query: { search: 'Three', starts_after: '2031-01-01' } }),
        200,
      );
      const made = events.filter((one: { venue: { venue: string } }) => one.venue.venue === hall);
      assert.equal(made.length, 1);
      const [event] = made;
      assert.equal(`${below(event.url)}?done=saved`, first.headers.get('location'));
      assert.equal(event.start_date, '2031-03-05 19:30:00');
      assert.equal(event.timezone, 'Europe/Lisbon');
      assert.equal(event.description, '<p>One<br />\ntwo</p>\n<p>Three &amp; four</p>');
      assert.deepEqual(
        event.organizer.map((one: { organizer: string }) => one.organizer),
        ['Ada', 'Bob'],
      );
      assert.deepEqual(
        event.tags.map((one: { name: string }) => one.name),
        ['2084', 'quiet'],
      );
      assert.deepEqual(
        event.categories.map((one: { id: number }) => one.id),
        [category.id],
      );
      assert.deepEqual([event.cost, event.featured, event.all_day, event.status], ['$12', true, false, 'publish']);
    });

    test('what is refused is told in the words of the form, which keeps what was entered; nothing is made', async () => {
      const venue = unique('Nowhere');
      const reply = await fill(admin, '/events/new', {
        title: '"Odd" <b>',
        ...TIMES,
        end_date: '2031-03-04T10:00',
        venue,
      });
      assert.equal(reply.status, 400);
      assert.match(
        reply.text,
        /<div tabindex="-1" autofocus role="alert" id="problem"><p>The end lies before the start\./,
      );
      const kept = formIn(reply.text);
      assert.deepEqual([kept.title, kept.venue, kept.end_date], ['"Odd" <b>', venue, '2031-03-04T10:00']);
      assert.match(reply.text, /name="end_date"[^>]* aria-invalid="true"/);
      assert.equal((await must(s.ask('GET', '/venues', { query: { search: venue } }), 200)).total, 0);
      const german = await fill(admin, '/de/events/new', { title: 'X', ...TIMES, timezone: 'Nowhere/Land' });
      assert.match(german.text, /id="problem"><p>Zeitzone /);
      const blank = await fill(admin, '/de/events/new', { title: ' ', ...TIMES, end_date: '' });
      assert.match(blank.text, /id="problem"><p>Bitte ausfüllen: Titel, Ende</);
      assert.match(blank.text, /name="title"[^>]* aria-invalid="true"/);
    });

    test('only what was changed is sent: everything else stays, also what the form does not show', async () => {
      const twins = [
        await must(s.post('/organizers', { organizer: 'Twin', phone: '1' }, 'admin')),
        await must(s.post('/organizers', { organizer: 'Twin', phone: '2' }, 'admin')),
      ];
      const event = await makeEvent(s, {
        ...SOON,
        title: 'A <em>b</em> &amp; c',
        description: '<p class="x">Kept <b>as</b> it is</p>',
        excerpt: 'An excerpt',
        cost: '€5',
        organizer: twins.map(({ id }) => id),
        tickets: [{ name: 'Standard', price: 3 }],
        start_date: '2031-04-01 10:00:30',
        end_date: '2031-04-01 11:00:45',
      });
      const before = await asShown(event.id);
      const path = `/event/edit/${event.id}`;
      assert.ok((await admin.get(below(event.url))).text.includes(`href="${path}"`));
      assert.equal((await fill(admin, path, {})).status, 303);
      const rest = ({ modified, modified_utc, json_ld, ...others }: Record<string, unknown>) => others;
      assert.deepEqual(rest(await asShown(event.id)), rest(before));
      assert.equal(
        (await fill(admin, path, { organizer: 'Twin\nEve\nTwin', website: 'https://a.example/' })).status,
        303,
      );
      const after = await asShown(event.id);
      const people = after.organizer as { id: number; organizer: string }[];
      const eve = people.find(({ organizer }) => organizer === 'Eve')?.id;
      assert.deepEqual(new Set(people.map(({ id }) => id)), new Set([...twins.map(({ id }) => id), eve]));
      assert.deepEqual(
        [after.website, after.title, after.description, after.cost, after.start_date],
        ['https://a.example/', before.title, before.description, before.cost, before.start_date],
      );
      assert.equal((await fill(admin, path, { organizer: '', cost: '', description: '' })).status, 303);
      const emptied = await asShown(event.id);
      assert.deepEqual(
        [emptied.organizer, emptied.cost, emptied.description, emptied.tickets],
        [[], '', '', before.tickets],
      );
    });

    test('a form shows texts as they are: plain, or as HTML where they have any; what is scheduled or protected, too', async () => {
      const html = { title: 'A <em>b</em> c', description: '<p class="x">Kept</p>' };
      const plain = { title: 'Tom & "Jerry"', description: 'One\ntwo\n\nThree & four' };
      const rest = { ...SOON, status: 'publish', date: '2031-01-01 10:00', password: 'sesame' };
      for (const { title, description } of [html, plain]) {
        const event = await makeEvent(s, { ...rest, title, description });
        const path = `/event/edit/${event.id}`;
        const page = await admin.get(path);
        assert.equal(page.headers.get('cache-control'), 'private, no-store');
        const shown = formIn(page.text);
        assert.deepEqual([shown.title, shown.description, shown.website], [title, description, '']);
        const before = await asShown(event.id);
        assert.equal(before.status, 'future');
        assert.equal((await fill(admin, path, {})).status, 303);
        assert.equal((await fill(admin, path, { cost: '8' })).status, 303);
        const after = await asShown(event.id);
        assert.deepEqual(
          [after.title, after.description, after.status, after.date],
          [before.title, before.description, 'future', before.date],
        );
      }
    });

    test('what is not in the form of somebody stays as it is', async () => {
      const contributor = await as('contributor');
      const event = await must(s.post('/events', { ...SOON, title: unique('Proposed') }, 'contributor'));
      const image = await must(upload(s, await picture(40, 40), 'admin'));
      await must(s.patch(`/events/${event.id}`, { image: image.id }, 'admin'), 200);
      assert.equal((await fill(contributor, `/event/edit/${event.id}`, { title: 'Better' })).status, 303);
      const after = await asShown(event.id);
      assert.deepEqual([after.title, after.image.id], ['Better', image.id]);
    });

    test('what browsers would write in another way stays as it is', async () => {
      const event = await makeEvent(s, { ...SOON, title: 'One <b>title</b>\nin two lines' });
      const path = `/event/edit/${event.id}`;
      assert.equal(formIn((await admin.get(path)).text).title, 'One <b>title</b> in two lines');
      assert.equal((await fill(admin, path, { cost: '3' })).status, 303);
      assert.equal((await asShown(event.id)).title, event.title);
      const organizer = await must(s.post('/organizers', { organizer: 'Ü', email: 'a@münchen.example' }, 'admin'));
      assert.ok(!(await admin.get(`/organizer/edit/${organizer.id}`)).text.includes('type="email"'));
    });

    test('what nobody changed is not written; sent twice it is saved once', async () => {
      const event = await makeEvent(s, { ...SOON, title: unique('Calm') });
      const path = `/event/edit/${event.id}`;
      const seen = formIn((await admin.get(path)).text);
      const etag = async () => (await s.get(`/events/${event.id}`)).headers.get('etag');
      const before = await etag();
      assert.equal((await admin.post(path, seen)).status, 303);
      assert.equal(await etag(), before);
      const twice = await Promise.all([1, 2].map(() => admin.post(path, { ...seen, title: 'Once' })));
      assert.deepEqual(
        twice.map(({ status }) => status),
        [303, 303],
      );
      assert.equal((await asShown(event.id)).title, 'Once');
    });

    test('what changes around a record is in nobody’s way', async () => {
      const category = await must(s.post('/categories', { name: unique('Busy') }, 'admin'));
      const venue = await must(s.post('/venues', { venue: unique('House') }, 'admin'));
      const event = await makeEvent(s, { ...SOON, title: unique('Mine'), categories: [category.id], venue: venue.id });
      const path = `/event/edit/${event.id}`;
      const seen = formIn((await admin.get(path)).text);
      await makeEvent(s, { ...SOON, title: unique('Other'), categories: [category.id] });
      await must(s.patch(`/venues/${venue.id}`, { phone: '1' }, 'admin'), 200);
      assert.equal((await admin.post(path, { ...seen, 'categories[]': String(category.id), cost: '4' })).status, 303);
      assert.equal((await asShown(event.id)).cost, '$4');
    });

    test('categories are told with those above them, but not with all of very many', async () => {
      let parent = 0;
      for (let n = 1; n <= 7; n++)
        parent = (await must(s.post('/categories', { name: `Deep ${n}`, parent }, 'admin'))).id;
      const { text } = await admin.get('/events/new');
      assert.ok(text.includes('<bdi>Deep 1 › Deep 2</bdi>'));
      assert.ok(text.includes('<bdi>… › Deep 3 › Deep 4 › Deep 5 › Deep 6 › Deep 7</bdi>'));
    });

    test('a category that does not exist yet is made with the event, by those who may; its name may be a number', async () => {
      const contributor = await as('contributor');
      const [name, year] = [unique('Fresh'), String(Date.now())];
      const known = await must(s.post('/categories', { name: unique('Known') }, 'admin'));
      const form = { title: unique('Sorted'), ...TIMES, 'categories[]': String(known.id) };
      const wrong = await fill(admin, '/events/new', {
        ...form,
        new_categories: `${name}\n\n${year}`,
        cost: '-',
        timezone: 'No/Where',
      });
      assert.equal(wrong.status, 400);
      assert.equal(formIn(wrong.text).new_categories, `${name}\n${year}`);
      const { timezone, ...kept } = formIn(wrong.text);
      const made = await admin.post('/events/new', { ...kept, timezone: 'Europe/Lisbon' });
      assert.equal(made.status, 303, made.text);
      const { events } = await must(
        s.ask('GET', '/events', { query: { categories: name, starts_after: '2031-01-01' } }),
        200,
      );
      const names = (events[0].categories as { name: string }[]).map((one) => one.name);
      assert.deepEqual(names.sort(), [known.name, name, year].sort());
      assert.ok(!(await contributor.get('/events/new')).text.includes('new_categories'));
    });

    test('an event that takes place again is copied: its form has everything but the id, and is published as any new one', async () => {
      const place = unique('Same hall');
      const unseen = { excerpt: 'Every week', show_map: true };
      const event = await makeEvent(s, {
        ...{ ...SOON, ...unseen, title: unique('Weekly') },
        ...{ venue: place, cost: '3', status: 'draft' },
      });
      const path = `/events/new?copy=${event.id}`;
      assert.ok((await admin.get(below(event.url))).text.includes(`href="${path}"`));
      const copied = formIn((await admin.get(path)).text);
      assert.deepEqual([copied.title, copied.venue, copied.cost], [event.title, place, '$3']);
      assert.deepEqual([copied.version, copied.status], ['', 'publish']);
      assert.equal(copied.start_date, 'T19:00', 'on another day');
      assert.equal((await admin.post('/events/new', copied)).status, 400);
      const made = await admin.post('/events/new', { ...copied, ...TIMES });
      assert.equal(made.status, 303, made.text);
      const { events } = await must(
        s.ask('GET', '/events', { query: { search: `"${event.title}"`, starts_after: '2031-01-01' } }),
        200,
      );
      assert.deepEqual([events.length, events[0].venue.venue, events[0].status], [1, place, 'publish']);
      assert.match(events[0].excerpt, /Every week/);
      assert.deepEqual([events[0].show_map, events[0].show_map_link], [true, event.show_map_link]);
      assert.equal((await asShown(event.id)).status, 'draft');
      const way = (await s.ask('GET', `~${path}`, { headers: { accept: 'text/html' } })).headers.get('location');
      assert.equal(new URL(way ?? '', s.home).searchParams.get('to'), path);
      const theirs = formIn((await (await as('author')).get(path)).text);
      assert.equal(theirs.title, '', 'what one may not see is not copied');
      const [secret, inner] = [{ password: 'x', description: 'Members only' }, { status: 'private' }];
      const closed = await makeEvent(s, { ...SOON, title: unique('Closed'), ...secret });
      assert.equal(formIn((await admin.get(`/events/new?copy=${closed.id}`)).text).description, '');
      const hidden = await makeEvent(s, { ...SOON, title: unique('Inner'), ...inner });
      assert.equal(formIn((await admin.get(`/events/new?copy=${hidden.id}`)).text).status, 'private');
      for (const odd of ['0', '-1', 'x', '1.5', '1e400', '99999999'])
        assert.equal((await admin.get(`/events/new?copy=${odd}`)).status, 200, odd);
    });

    test('whoever was quicker is not overwritten', async () => {
      const event = await makeEvent(s, { ...SOON, title: unique('Slow') });
      const path = `/event/edit/${event.id}`;
      const seen = formIn((await admin.get(path)).text);
      await must(s.patch(`/events/${event.id}`, { cost: '7' }, 'admin'), 200);
      const late = await admin.post(path, { ...seen, title: 'Too late' });
      assert.equal(late.status, 412, late.text);
      assert.match(late.text, /id="problem"><p>Somebody else has changed this since you opened it/);
      assert.equal(formIn(late.text).title, 'Too late');
      // Sent again it is as late as before.
      assert.equal((await admin.post(path, formIn(late.text))).status, 412);
      assert.deepEqual([(await asShown(event.id)).cost, (await asShown(event.id)).title], ['$7', event.title]);
    });

    test('venues and organizers are changed alike; what is put into the trash is gone from its page', async () => {
      const venue = await must(s.post('/venues', { venue: unique('Loft'), city: 'Porto' }, 'admin'));
      assert.ok((await admin.get(below(venue.url))).text.includes(`href="/venue/edit/${venue.id}"`));
      const filled = { address: 'Rua 1', zip: '4000', geo_lat: '41.1', geo_lng: '-8.6', country: 'Portugal' };
      assert.equal((await fill(admin, `/venue/edit/${venue.id}`, filled)).status, 303);
      const { address, city, zip, geo_lat, geo_lng } = await must(s.get(`/venues/${venue.id}`), 200);
      assert.deepEqual([address, city, zip, geo_lat, geo_lng], ['Rua 1', 'Porto', '4000', 41.1, -8.6]);
      const organizer = await must(s.post('/organizers', { organizer: unique('Troupe') }, 'admin'));
      const path = `/organizer/edit/${organizer.id}`;
      const wrong = await fill(admin, path, { website: 'javascript:alert(1)' });
      assert.equal(wrong.status, 400);
      assert.match(wrong.text, /id="problem"><p>Website /);
      assert.equal((await fill(admin, path, { email: 'a@b.example' })).status, 303);
      assert.equal((await must(s.get(`/organizers/${organizer.id}`), 200)).email, 'a@b.example');
      const gone = await admin.post(path, { token: await admin.tokenAt(path), trash: '1' });
      assert.deepEqual([gone.status, gone.headers.get('location')], [303, '/events/trash?done=trashed']);
      assert.equal((await admin.get(below(organizer.url))).status, 404);
      assert.equal((await admin.get(path)).status, 404);
    });

    test('a picture comes along, stays while something else is put right, and can be taken away', async () => {
      const path = '/events/new';
      const send = async (form: Record<string, string>, file?: Buffer): Promise<Reply> => {
        const body = new FormData();
        for (const [name, value] of Object.entries(form)) body.append(name, value);
        body.append('picture', new Blob(file ? [new Uint8Array(file)] : []), file ? 'p.png' : '');
        return s.ask('POST', `~${path}`, { body, headers: { accept: 'text/html', cookie: admin.cookie() } });
      };
      const entered = { ...formIn((await admin.get(path)).text), title: unique('Seen'), ...TIMES };
      const noPicture = await send(entered, Buffer.from('no picture'));
      assert.equal(noPicture.status, 415);
      assert.match(noPicture.text, /id="problem"><p>/);
      const large = await send(entered, Buffer.alloc(150_000));
      assert.equal(large.status, 413);
      assert.match(large.text, /id="problem"><p>[^<]*100/);
      assert.equal(formIn(large.text).title, entered.title);
      assert.equal(formIn(large.text).status, 'publish', 'what stands behind the picture is read as well');
      const early = await send({ ...entered, cost: 'Adults 12, children 6' }, await picture(39, 39));
      assert.equal(early.status, 400);
      assert.match(formIn(early.text).image ?? '', /^\d+$/, 'also where the form was not sent on');
      const refused = await send(
        { ...entered, end_date: '2031-01-01T10:00', alt_text: 'A square' },
        await picture(40, 40),
      );
      const kept = formIn(refused.text);
      assert.match(kept.image ?? '', /^\d+$/);
      assert.match(refused.text, /<p><img class="thumbnail" src="\/media\/[^"]+" alt="">/);
      const made = await send({ ...kept, ...TIMES });
      assert.equal(made.status, 303, made.text);
      const other = { ...kept, ...TIMES, title: unique('Twice') };
      const file = await picture(41, 41);
      const [first, second] = (await Promise.all([send(other, file), send(other, file)])) as [Reply, Reply];
      assert.deepEqual([first.status, second.status], [303, 303], second.text);
      assert.equal(second.headers.get('location'), first.headers.get('location'));
      const page = await s.ask('GET', `~${made.headers.get('location')}`, { headers: { accept: 'text/html' } });
      assert.match(page.text, /<img class="picture"[^>]* alt="A square"/);
      const { events } = await must(
        s.ask('GET', '/events', { query: { search: `"${entered.title}"`, starts_after: '2031-01-01' } }),
        200,
      );
      assert.equal(events[0].image.id, Number(kept.image));
      const copy = (await admin.get(`/events/new?copy=${events[0].id}`)).text;
      assert.ok(copy.includes(`<img class="thumbnail" src="${below(events[0].image.url)}"`), copy);
      assert.equal((await fill(admin, `/event/edit/${events[0].id}`, { remove_image: '1' })).status, 303);
      assert.equal((await asShown(events[0].id)).image, false);
    });
  },
  { KALENDS_MEDIA_LIMIT: '100k' },
);
