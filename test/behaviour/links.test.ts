import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { behaviour, makeEvent, must, newEvent, rows, unique } from '../support/rows.js';
import type { RoleName } from '../support/server.js';

/** What an event shows under a name, always as a list of ids. */
const linked = (event: Record<string, unknown>, name: string): number[] =>
  [event[name]].flat().map((record) => (record as { id: number }).id);

behaviour('what an event names (D8, D9, D15)', async (s) => {
  for (const kind of ['venue', 'organizer'] as const) {
    const plural = `${kind}s`;
    const make = (name: string, more: object = {}, as: RoleName = 'admin') =>
      must(s.post(`/${plural}`, { [kind]: name, ...more }, as));
    const total = async () => (await must(s.get(`/${plural}`, { status: 'any', per_page: 1 }, 'admin'), 200)).total;

    describe(`${kind} of an event (D8)`, async () => {
      const a = await make(unique('Alpha'));
      const b = await make(unique('Beta, with a comma'));
      const c = await make(unique('Gamma'));
      const forms: [string, unknown, number[]][] = [
        ['an id', a.id, [a.id]],
        ['an id as text', String(a.id), [a.id]],
        ['an object with an id, the rest ignored', { id: a.id, [kind]: 'Ignored' }, [a.id]],
        ['a list of one', [a.id], [a.id]],
        ['a list of texts', [String(b.id), String(a.id)], [b.id, a.id]],
        ['a list of objects', [{ id: b.id }, { id: String(a.id) }], [b.id, a.id]],
        ['ids with commas', `${b.id}, ${a.id}`, [b.id, a.id]],
        ['the same twice', [a.id, a.id, b.id], [a.id, b.id]],
        ['a name', a[kind], [a.id]],
        ['a name in another case', a[kind].toUpperCase(), [a.id]],
        ['a name with a comma', b[kind], [b.id]],
        ['an object with a known name', { [kind]: a[kind] }, [a.id]],
        ['a mixed list', [b[kind], a.id], [b.id, a.id]],
        ['names with commas between', `${a[kind]},${c[kind]}`, [a.id, c.id]],
      ];
      for (const [name, value, wanted] of forms) {
        test(`D8 ${kind} as ${name}, on create and on update`, async () => {
          const before = await total();
          const event = await makeEvent(s, { [kind]: value });
          assert.deepEqual(linked(event, kind), wanted);
          const other = await makeEvent(s, { [kind]: unique('Other') });
          const changed = await must(s.patch(`/events/${other.id}`, { [kind]: value }, 'admin'), 200);
          assert.deepEqual(linked(changed, kind), wanted);
          assert.equal(await total(), before + 1, 'nothing was made but the other');
        });
      }
      const bad: unknown[] = [
        999_999,
        [a.id, 999_999],
        { id: 999_999 },
        `${a.id},999999`,
        [[a.id]],
        [{ phone: '1' }],
        -1,
      ];
      rows(
        s,
        bad.map((value) => ({
          name: `D8 ${kind} ${JSON.stringify(value)}`,
          ask: 'POST /events',
          as: 'admin' as const,
          json: newEvent({ [kind]: value }),
          status: 400,
          code: 'rest_invalid_param',
          params: [kind],
        })),
      );
      test(`D8 a list of nothing is no ${kind}, and no venue can be made of it (reference)`, async () => {
        for (const nothing of [[0], [''], [null]]) {
          const reply = await s.post('/events', newEvent({ [kind]: nothing }), 'admin');
          const wanted = kind === 'venue' ? [400, 'could-not-create-venue'] : [201, undefined];
          assert.deepEqual([reply.status, reply.json.code], wanted, JSON.stringify(nothing));
        }
      });
      test(`D8 the name of a ${kind} with the number of a house behind it is one name`, async () => {
        const name = `${c[kind]}, ${a.id}`;
        const event = await makeEvent(s, { [kind]: name });
        assert.deepEqual(
          [event[kind]].flat().map((one: Record<string, unknown>) => one[kind]),
          [name],
        );
      });
      test(`D8 a new ${kind} by name, and one by its fields`, async () => {
        const [one, two] = [unique('New, by name'), unique('New by fields')];
        const event = await makeEvent(s, {
          [kind]: [one, { [kind]: two, phone: '123', website: 'https://new.example' }],
        });
        const [first, second] = await Promise.all(
          linked(event, kind).map((id) => must(s.get(`/${plural}/${id}`), 200)),
        );
        assert.deepEqual([first[kind], second[kind], second.phone], [one, two, '123']);
      });
      test(`D8 a known ${kind} is not touched by the fields that come with its name`, async () => {
        const known = await make(unique('Known'), { phone: '1' });
        const event = await makeEvent(s, { [kind]: { [kind]: known[kind], phone: '2', description: 'Mine' } });
        assert.deepEqual(linked(event, kind), [known.id]);
        const { phone, description, modified } = await must(s.get(`/${plural}/${known.id}`), 200);
        assert.deepEqual([phone, description, modified], ['1', undefined, known.modified]);
      });
      test(`D8 of several ${plural} of a name the oldest published one is meant`, async () => {
        const name = unique('Common');
        await make(name, { status: 'draft', phone: '0' });
        const oldest = await make(name, { phone: '1' });
        await make(name, { phone: '2' });
        assert.deepEqual(linked(await makeEvent(s, { [kind]: name }), kind), [oldest.id]);
      });
      test(`D8 A3 a ${kind} that the caller may not read: by id it is unknown, by name a new one is made`, async () => {
        const secret = await make(unique('Secret'), { status: 'private' });
        const byId = await s.post('/events', newEvent({ [kind]: secret.id }), 'author');
        assert.equal(byId.status, 400);
        const event = await makeEvent(s, { [kind]: secret[kind] }, 'author');
        assert.equal(linked(event, kind).length, 1);
        assert.notEqual(linked(event, kind)[0], secret.id);
      });
      test(`D8 D10 a contributor's new ${kind} is a draft`, async () => {
        const event = await makeEvent(s, { [kind]: { [kind]: unique('Humble') } }, 'contributor');
        const [id] = linked(event, kind);
        assert.equal((await must(s.get(`/${plural}/${id}`, {}, 'contributor'), 200)).status, 'draft');
      });
      test(`D8 bad fields of a new ${kind} are an error of ${kind}`, async () => {
        const reply = await s.post(
          '/events',
          newEvent({ [kind]: { [kind]: unique('Bad'), website: 'nope' } }),
          'admin',
        );
        assert.equal(reply.status, 400);
        assert.deepEqual(Object.keys(reply.json.data.params), [kind]);
      });
      if (kind === 'venue')
        test('A7 half a place of a new venue is an error of the venue', async () => {
          const reply = await s.post('/events', newEvent({ venue: { venue: unique('Bad'), geo_lat: 1 } }), 'admin');
          assert.deepEqual([reply.status, Object.keys(reply.json.data.params)], [400, ['venue']]);
        });
    });

    describe(`the same ${kind} again (D9)`, () => {
      test('D9 all given fields equal: the record that is there, 201', async () => {
        const date_utc = '2026-01-02 03:04:05';
        const known = await make(unique('Twin'), { phone: '1', description: 'D', date_utc });
        for (const again of [{}, { phone: '1' }, { phone: '1', description: 'D' }, { date_utc }]) {
          const reply = await s.post(`/${plural}`, { [kind]: known[kind], ...again }, 'admin');
          assert.equal(reply.status, 201);
          assert.deepEqual(reply.json, known);
          assert.equal(reply.headers.get('location'), `${s.api}/${plural}/${known.id}`);
        }
      });
      test('D9 a status that the caller may not give is the one that the record has', async () => {
        const known = await make(unique('Published'));
        assert.equal((await make(known[kind], { status: 'publish' }, 'contributor')).id, known.id);
      });
      test('D9 names that differ only after hundreds of letters are two', async () => {
        const [one, other] = ['x', 'y'].map((end) => ({ [kind]: `${'a'.repeat(600)}${end}` }));
        const first = await must(s.post(`/${kind}s`, one, 'admin'));
        const second = await must(s.post(`/${kind}s`, other, 'admin'));
        assert.deepEqual([second[kind], second.id !== first.id], [other?.[kind], true]);
        assert.equal((await must(s.post(`/${kind}s`, one, 'admin'))).id, first.id);
      });
      test('D9 one field other: a new record, the old one as it was', async () => {
        const known = await make(unique('Near twin'), { phone: 'a1', website: 'https://x.example/A' });
        for (const more of [
          { phone: 'a2' },
          { phone: 'A1' },
          { website: 'https://x.example/a' },
          { description: 'D' },
          { website: 'https://x.example' },
          { status: 'draft' },
          { date_utc: '2026-01-02 03:04:05' },
        ]) {
          const other = await make(known[kind], more);
          assert.notEqual(other.id, known.id, JSON.stringify(more));
        }
        const { json_ld, ...seen } = await must(s.get(`/${plural}/${known.id}`), 200);
        assert.deepEqual(seen, known);
      });
      test('D9 one in the trash, or one that may not be read, is not there', async () => {
        const gone = await make(unique('Gone'));
        await must(s.del(`/${plural}/${gone.id}`, 'admin'), 200);
        assert.notEqual((await make(gone[kind])).id, gone.id);
        const secret = await make(unique('Hidden'), { status: 'private' });
        assert.notEqual((await make(secret[kind], {}, 'author')).id, secret.id);
      });
    });

    describe(`a ${kind} in the trash (D15)`, () => {
      test('D15 it is left out, the others stay, and it is back after a restore', async () => {
        const [x, y] = [await make(unique('Leaves')), await make(unique('Stays'))];
        const events = [];
        for (let n = 0; n < 12; n += 1) events.push(await makeEvent(s, { [kind]: [x.id, y.id] }));
        await must(s.del(`/${plural}/${x.id}`, 'admin'), 200);
        for (const { id } of events) {
          assert.deepEqual(linked(await must(s.get(`/events/${id}`), 200), kind), [y.id]);
        }
        await must(s.patch(`/events/${events[0].id}`, { title: 'Changed meanwhile' }, 'admin'), 200);
        await must(s.patch(`/${plural}/${x.id}`, { status: 'publish' }, 'admin'), 200);
        for (const { id } of events) {
          assert.deepEqual(linked(await must(s.get(`/events/${id}`), 200), kind), [x.id, y.id]);
        }
      });
      test('D15 E2 one that the reader may not read is left out, for that reader', async () => {
        const secret = await make(unique('Private'), { status: 'private', phone: '555-0000' });
        const { id } = await makeEvent(s, { [kind]: secret.id });
        const anonymous = await s.get(`/events/${id}`);
        assert.deepEqual(anonymous.json[kind], []);
        assert.ok(!anonymous.text.includes('555-0000'));
        assert.deepEqual(linked(await must(s.get(`/events/${id}`, {}, 'editor'), 200), kind), [secret.id]);
        const list = await s.get('/events', { include: id });
        assert.deepEqual(list.json.events[0][kind], []);
      });
      test('D14 removed for good, the link goes with it', async () => {
        const gone = await make(unique('Gone'));
        const { id } = await makeEvent(s, { [kind]: gone.id });
        await must(s.del(`/${plural}/${gone.id}`, 'admin', { force: true }), 200);
        assert.deepEqual((await must(s.get(`/events/${id}`), 200))[kind], []);
      });
    });
  }

  describe('C1 shape', () => {
    test('C1 venue: [] for none, an object for one, a list for several; organizer: always a list', async () => {
      const none = await makeEvent(s);
      assert.deepEqual([none.venue, none.organizer], [[], []]);
      const one = await makeEvent(s, { venue: unique('V'), organizer: unique('O') });
      assert.equal(Array.isArray(one.venue), false);
      assert.equal(one.organizer.length, 1);
      const two = await makeEvent(s, { venue: [unique('V'), unique('V')], organizer: [unique('O'), unique('O')] });
      assert.deepEqual([two.venue.length, two.organizer.length], [2, 2]);
    });
  });

  test('C1 an author reads what is private without json_ld, and a draft with it; an editor both (reference)', async () => {
    const make = (plural: string, json: object) => must(s.post(`/${plural}`, json, 'author'));
    for (const [status, told] of [
      ['private', false],
      ['draft', true],
    ] as const) {
      const venue = await make('venues', { venue: unique('V'), status });
      const organizer = await make('organizers', { organizer: unique('O'), status });
      const event = await make('events', newEvent({ venue: venue.id, organizer: organizer.id, status }));
      for (const as of ['author', 'editor'] as const) {
        const read = async (path: string) => must(s.get(path, undefined, as), 200);
        const alone = await read(`/events/${event.id}`);
        const seen = [
          await read(`/venues/${venue.id}`),
          await read(`/organizers/by-slug/${organizer.slug}`),
          alone,
          alone.venue,
          alone.organizer[0],
        ];
        const wanted = as === 'editor' || told;
        assert.deepEqual(
          seen.map((one) => 'json_ld' in one),
          seen.map(() => wanted),
          `${status}, ${as}`,
        );
      }
    }
  });

  for (const kind of ['categories', 'tags'] as const) {
    describe(`${kind} of an event (D8)`, async () => {
      const make = (name: string, more: object = {}) => must(s.post(`/${kind}`, { name, ...more }, 'admin'));
      const a = await make(unique('Apple'), { slug: `apple-${kind}` });
      const b = await make(unique('Berry'));
      const c = await make(unique('Food, Drink'));
      const forms: [string, unknown, number[]][] = [
        ['an id', a.id, [a.id]],
        ['a list of ids', [a.id, b.id], [a.id, b.id]],
        ['ids and slugs with commas', `${b.id},apple-${kind}`, [a.id, b.id]],
        ['a name', a.name, [a.id]],
        ['a name with a comma', c.name, [c.id]],
        ['a name in another case', b.name.toUpperCase(), [b.id]],
        ['an object with an id', { id: a.id }, [a.id]],
        ['a list of objects', [{ id: a.id }, { name: b.name }], [a.id, b.id]],
        ['the same in two ways', [a.id, a.name, a.slug], [a.id]],
        ['a name in markup', `<em>${a.name}</em>`, [a.id]],
        ['a name with a script, which is taken out', `<script>x</script>${b.name}`, [b.id]],
      ];
      const year = await make(kind === 'tags' ? '2084' : '2085');
      const number = await make(String(a.id), { slug: `number-${kind}` });
      forms.push(
        ['a name that is a number', year.name, [year.id]],
        ['such a name in a list', [year.name, b.id], [year.id, b.id]],
        ['such a name in an object', { name: number.name }, [number.id]],
        ['text that is a name and the id of another', [number.name], [number.id]],
        ['a number, which is an id whatever names there are', [a.id], [a.id]],
        ['text in an object, which is an id too', [{ id: String(a.id) }], [a.id]],
      );
      for (const [name, value, wanted] of forms) {
        test(`D8 ${kind} as ${name}`, async () => {
          assert.deepEqual(linked(await makeEvent(s, { [kind]: value }), kind), wanted);
        });
      }
      test(`D8 new ${kind} by name and by fields`, async () => {
        const [one, two] = [unique('Cherry'), unique('Date')];
        const event = await makeEvent(s, { [kind]: [one, { name: two, description: 'Sweet' }] });
        assert.deepEqual(
          event[kind].map((term: { name: string }) => term.name),
          [one, two],
        );
        assert.equal((await must(s.get(`/${kind}/${event[kind][1].id}`), 200)).description, 'Sweet');
      });
      test(`D8 a name, with a comma in a text, is two ${kind}`, async () => {
        const [one, two] = [unique('Elder'), unique('Fig')];
        assert.equal((await makeEvent(s, { [kind]: `${one},${two}` }))[kind].length, 2);
      });
      const who: [RoleName, boolean][] = [
        ['contributor', false],
        ['author', kind === 'categories'],
        ['editor', true],
      ];
      for (const [as, may] of who) {
        test(`D8 E1 ${as} ${may ? 'makes' : 'may not make'} ${kind} on the way, and may use those that are there`, async () => {
          await makeEvent(s, { [kind]: [a.name] }, as);
          const name = unique('Grape');
          const reply = await s.post('/events', newEvent({ [kind]: [name] }), as);
          assert.equal(reply.status, may ? 201 : 403, reply.text);
          const found = await must(s.get(`/${kind}`, { hide_empty: false, search: name }), 200);
          assert.equal(found.total, may ? 1 : 0);
        });
      }
    });
  }
});
