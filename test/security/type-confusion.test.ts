import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { behaviour, makeEvent, must, newEvent, type Row, rows, unique } from '../support/rows.js';
import { basic } from './support.js';

/** Row "type confusion": passwords, tokens and ids are what they are; a flag, number, list or object is none (E5). */

const NOT_WORDS: unknown[] = [true, false, 0, 1, -1, 1.5, [], {}, ['word'], [['word']], { 0: 'word' }, { a: 1 }, '0'];
const text = (value: unknown): string => JSON.stringify(value);

behaviour('type confusion', async (s) => {
  const open = await makeEvent(s, {});
  const shut = await makeEvent(s, { title: 'Shut', password: 'word', description: 'behind the door' });
  const lone = await makeEvent(s, { title: 'True', password: 'true', description: 'behind the door' });
  const invalid = { status: 400, code: 'rest_invalid_param' } as const;
  const closed = { status: 403, code: 'event-password-protected', lacks: ['behind the door'] };

  describe('the password of an event', () => {
    const list: Row[] = [];
    for (const value of NOT_WORDS) {
      const json = { ...newEvent(), password: value };
      list.push({ ...invalid, name: `set as ${text(value)}`, ask: 'POST /events', as: 'admin', json });
      const patch = { new_password: value };
      list.push({
        ...invalid,
        name: `changed to ${text(value)}`,
        ask: `PATCH /events/${open.id}`,
        as: 'admin',
        json: patch,
      });
      const word = { password: value, title: 'Taken' };
      list.push({
        ...invalid,
        name: `opened with ${text(value)}`,
        ask: `PATCH /events/${shut.id}`,
        as: 'admin',
        json: word,
      });
    }
    for (const id of [shut.id, lone.id]) {
      for (const at of [`/events/${id}`, `/events/by-slug/${id === shut.id ? shut.slug : lone.slug}`]) {
        for (const form of [
          'password[]=word',
          'password[0]=true',
          'password[a]=word',
          'password[][]=true',
          'password=0',
        ]) {
          list.push({
            ...invalid,
            name: `GET ${at}?${form}`,
            ask: `GET ${at}`,
            query: form,
            lacks: ['behind the door'],
          });
        }
        for (const form of ['password=1', 'password=TRUE', 'password=%5B%5D', 'password=null', 'password=%20word']) {
          list.push({ ...closed, name: `GET ${at}?${form}`, ask: `GET ${at}`, query: form });
        }
        // A body on GET is no parameter, whatever it says.
        list.push({
          ...closed,
          name: `GET ${at} with an override`,
          ask: `POST ${at}`,
          query: '_method=GET',
          json: { password: true },
        });
      }
    }
    list.push({ ...closed, name: 'the wrong word', ask: `GET /events/${shut.id}`, query: 'password=true' });
    list.push({
      name: 'the word',
      ask: `GET /events/${shut.id}`,
      query: 'password=word',
      status: 200,
      has: ['behind the door'],
    });
    for (const form of ['password[]=word', 'password[a]=word', 'password=0']) {
      list.push({ ...invalid, name: `the list with ${form}`, ask: 'GET /events', query: form });
    }
    for (const form of ['password=true', 'password=1', 'password=']) {
      const query = `${form}&include=${shut.id}`;
      list.push({
        name: `the list with ${form} stays shut`,
        ask: 'GET /events',
        query,
        status: 200,
        lacks: ['behind the door'],
      });
    }
    for (const form of ['password[]=word', 'password[a]=1', 'password=0']) {
      const body = `title=T&start_date=2031-01-01&end_date=2031-01-02&${form}`;
      list.push({ ...invalid, name: `set by a form: ${form}`, ask: 'POST /events', as: 'admin', form: body });
    }
    rows(s, list);
    test('none of these changed anything', async () => {
      const seen = await must(s.get(`/events/${shut.id}`, { password: 'word' }), 200);
      assert.equal(seen.title, 'Shut');
      assert.equal((await s.get(`/events/${open.id}`)).status, 200);
    });
  });

  describe('credentials', () => {
    const { username, password } = s.users.admin;
    const wrong = [
      'true',
      '1',
      '0',
      'null',
      '[]',
      '{}',
      '',
      ' ',
      '*',
      '%',
      password.slice(1),
      password.toUpperCase(),
      `${password}0`,
    ];
    const sign = (authorization: string, name: string, more: Partial<Row> = {}): Row => ({
      name,
      ask: 'GET /users/me',
      status: 401,
      code: 'incorrect_password',
      headers: { authorization },
      ...more,
    });
    const nobody = { status: 200, code: undefined as never, shows: { authenticated: false, id: 0 } };
    rows(s, [
      ...wrong.map((word) => sign(basic(username, word), `Basic password ${text(word)}`)),
      ...['true', '1', '0', String(s.users.admin.id), '%', '*'].map((name) =>
        sign(basic(name, password), `Basic user ${name}`),
      ),
      sign(basic('editor', password), 'somebody else with a password that is good'),
      sign(`Bearer kal_`, 'an empty token'),
      sign(`Bearer kal_true`, 'a token true'),
      sign(`Bearer kal_%`, 'a token %'),
      sign(basic(username, `kal_${password}`), 'a token as a password'),
      ...['Bearer true', 'Bearer 1', 'Bearer [object Object]', 'Basic true', 'Basic', 'Bearer', 'Basic Og=='].map(
        (header) => sign(header, `${header}: nobody`, nobody),
      ),
      sign(`Bearer ${password}`, 'a password is no token', nobody),
      {
        name: 'credentials in the query are none',
        ask: 'GET /users/me',
        query: { username, password, token: password },
        status: 200,
        shows: { authenticated: false },
      },
    ]);
  });

  describe('ids', () => {
    const notIds: unknown[] = [
      true,
      -1,
      1.5,
      'true',
      [[1]],
      [true],
      { id: true },
      { id: [1] },
      { id: { id: 1 } },
      '1e400',
      '0x1',
      '1;2',
    ];
    const list: Row[] = [];
    for (const value of notIds) {
      for (const field of ['venue', 'organizer'] as const) {
        // Text that is no number is a name (D8).
        if (typeof value === 'string') continue;
        list.push({
          ...invalid,
          name: `${field} ${text(value)}`,
          ask: 'POST /events',
          as: 'admin',
          json: newEvent({ [field]: value }),
        });
      }
      for (const field of ['author', 'post_parent', 'image']) {
        list.push({
          ...invalid,
          name: `${field} ${text(value)}`,
          ask: 'POST /events',
          as: 'admin',
          json: newEvent({ [field]: value }),
        });
      }
      list.push({
        ...invalid,
        name: `parent ${text(value)}`,
        ask: 'POST /categories',
        as: 'admin',
        json: { name: unique('T'), parent: value },
      });
    }
    for (const id of ['true', '0', '-1', '1.5', '1e3', '0x1', '[]', 'null', '99999999999999999999', '1,2', '%31%00']) {
      for (const at of ['/events/', '/venues/', '/categories/', '/media/']) {
        list.push({ name: `GET ${at}${id}`, ask: `GET ${at}${id}`, as: 'admin', status: 404 });
      }
    }
    rows(s, list);
    for (const field of ['categories', 'tags'] as const) {
      for (const value of [true, 1.5, [true], [{ id: true }], [[1]]]) {
        test(`${field} ${text(value)} is refused, and does not empty the list`, async () => {
          const event = await makeEvent(s, { [field]: [unique('Kept')] });
          const reply = await s.patch(`/events/${event.id}`, { [field]: value }, 'admin');
          assert.equal(reply.status, 400, reply.text.slice(0, 200));
          const seen = await must(s.get(`/events/${event.id}`), 200);
          assert.equal(seen[field].length, 1);
        });
      }
    }
    for (const force of [['true'], { a: true }, 'yes', 2, 'TRUE ']) {
      test(`force ${text(force)} removes nothing for good`, async () => {
        const event = await makeEvent(s, {});
        const reply = await s.ask('DELETE', `/events/${event.id}`, { as: 'admin', json: { force } });
        assert.deepEqual([reply.status, reply.json.status], [200, 'trash'], reply.text);
        assert.equal((await s.patch(`/events/${event.id}`, { status: 'publish' }, 'admin')).status, 200);
      });
    }
  });
});
