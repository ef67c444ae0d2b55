import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { issue } from '../../src/accounts/accounts.js';
import { makeEvent } from '../support/rows.js';
import { startServer, type TestServer } from '../support/server.js';
import { basic } from './support.js';

/** Row "secrets in logs": every request here carries secrets, in every place; the whole log is then searched for them. */

const words: string[] = [];
let n = 0;
const secret = (): string => {
  const word = `S3cr3t${++n}zq${'x'.repeat(8)}${n}`;
  words.push(word);
  return word;
};

/** As text, or hidden in what a logger makes of bytes. */
function spoken(line: string): string {
  const bytes = [...line.matchAll(/"data":\[([\d,]+)\]/g)].map(([, list]) =>
    Buffer.from((list ?? '').split(',').map(Number)).toString('latin1'),
  );
  const coded = [...line.matchAll(/[A-Za-z0-9+/]{16,}={0,2}/g)].map(([text]) =>
    Buffer.from(text, 'base64').toString('latin1'),
  );
  let plain = line;
  try {
    plain = decodeURIComponent(line.replace(/%(?![0-9a-f]{2})/gi, '%25'));
  } catch {
    // Not an address.
  }
  return [line, plain, ...bytes, ...coded].join('\n');
}

for (const level of ['info', 'trace']) {
  describe(`secrets in logs at level ${level}`, () => {
    let s: TestServer;
    let token = '';
    before(async () => {
      s = await startServer({ KALENDS_LOG_LEVEL: level, KALENDS_SIGN_IN_LIMIT: '0' });
      const admin = { ...s.users.admin, role: 'administrator' as const };
      token = (await s.database.write((db) => issue(db, admin, 'token', 'test'))).secret;
      words.push(token, ...Object.values(s.users).map(({ password }) => password));
    });
    after(() => s.close());

    const raw = (text: string): Promise<void> =>
      new Promise((resolve) => {
        const socket = connect(Number(new URL(s.home).port), '127.0.0.1', () => socket.end(text));
        socket.on('data', () => {});
        socket.on('error', () => resolve());
        socket.on('close', () => resolve());
      });

    test('requests with secrets in every place', async () => {
      const { username, password } = s.users.admin;
      const shut = await makeEvent(s, { password: secret() });
      const one = `/events/${shut.id}`;
      const paths = [
        '/events',
        one,
        `/events/by-slug/${shut.slug}`,
        '/venues',
        '/nothing',
        '/users/me',
        '~/nothing',
        '~/docs',
        '~/',
        '~/metrics',
        '~/media/x',
        '~/api',
      ];
      for (const at of paths) {
        for (const header of [
          basic(username, password),
          basic('admin', secret()),
          basic(secret(), secret()),
          `Bearer ${token}`,
          `Bearer kal_${secret()}`,
          `Bearer ${secret()}`,
          `Digest ${secret()}`,
          secret(),
        ]) {
          await s.ask('GET', at, { headers: { authorization: header } });
        }
        await s.ask('GET', at, {
          headers: {
            cookie: `session=${secret()}`,
            'x-wp-nonce': secret(),
            'x-api-key': secret(),
            'proxy-authorization': basic('a', secret()),
            referer: `https://x.test/?password=${secret()}`,
          },
        });
        for (const query of [
          'password=',
          'new_password=',
          'access_token=',
          'api_key=',
          'apikey=',
          'app_password=',
          'authorization=Basic%20',
          'client_secret=',
          'x=kal_',
          'token=',
          '_wpnonce=',
          'PASSWORD=',
          'pass%77ord=',
          'password[]=',
          'password%5Ba%5D=',
          '%20password=',
          'page=1&password=',
          'password=a&password=',
          '%70assword%5B%5D=',
          'a=?&password=',
        ]) {
          await s.ask('GET', at, { query: query + secret() });
        }
        await s.ask('GET', at, { query: `_envelope&password=${secret()}&%ff` });
        const within = `image=https://u:${secret()}@host/&website=https%3A%2F%2Fu%3A${secret()}%40host`;
        await s.ask('GET', at, { query: within });
      }
      for (const method of ['POST', 'PATCH', 'PUT', 'DELETE']) {
        for (const at of ['/events', one, '/nothing', '~/nothing', '/venues']) {
          const json = {
            title: 'T',
            start_date: '2031-01-01',
            end_date: '2031-01-02',
            password: secret(),
            new_password: secret(),
            token: secret(),
            website: `https://u:${secret()}@x.test/`,
          };
          await s.ask(method, at, { as: 'admin', json });
          await s.ask(method, at, { json });
          await s.ask(method, at, { as: 'editor', form: { password: secret(), new_password: secret() } });
          await s.ask(method, at, {
            as: 'admin',
            query: { new_password: secret() },
            json: { new_password: [secret()] },
          });
          await s.ask(method, at, {
            as: 'admin',
            body: `{"password":"${secret()}",`,
            headers: { 'content-type': 'application/json' },
          });
          await s.ask(method, at, {
            as: 'admin',
            body: `{"password":"${secret()}\\ud800"}`,
            headers: { 'content-type': 'application/json' },
          });
          const parts = new FormData();
          parts.set('password', secret());
          parts.set('new_password', secret());
          await s.ask(method, at, { as: 'admin', body: parts });
        }
      }
      await s.post(
        '/events',
        {
          title: 'T',
          start_date: '2031-01-01',
          end_date: '2031-01-02',
          image: `http://u:${secret()}@127.0.0.1:9/a.png`,
        },
        'admin',
      );
    });

    test('requests that are not HTTP, too long, or written for a proxy', async () => {
      await raw(`GET / HTTP/1.1\r\nAuthorization: ${basic('a', secret())}\r\nBroken header ${secret()}\r\n\r\n`);
      await raw(`${secret()} password=${secret()}\r\n\r\n`);
      await raw(`GET /?password=${secret()} HTTP/9.9\r\nAuthorization: Bearer ${secret()}\r\n\r\n`);
      await raw(`GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Basic ${secret()}\r\nX: ${'y'.repeat(40_000)}\r\n\r\n`);
      await raw(
        `GET http://ada:${secret()}@127.0.0.1/api/calendar/events/v1/events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      );
      await raw(`GET //ada:${secret()}@127.0.0.1/events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    });

    test('the log has lines, and none of the secrets', () => {
      assert.ok(s.logs.length > 300, `${s.logs.length} lines`);
      assert.ok(words.length > 300);
      const told = s.logs.map(spoken);
      const found = words.flatMap((word) => {
        const at = told.findIndex((line) => line.includes(word));
        return at < 0 ? [] : [`${word}: ${s.logs[at]?.slice(0, 300)}`];
      });
      assert.deepEqual(found.slice(0, 10), [], `${found.length} secrets in the log`);
    });

    test('nor has the database, the metrics or a document', async () => {
      const all = await Promise.all(['~/metrics', '/', '/doc', '/openapi.json', '~/docs'].map((at) => s.get(at)));
      const { sql } = await import('kysely');
      const stored = await s.database.read(async (db) => [
        await db.all(sql`SELECT * FROM event`),
        await db.all(sql`SELECT * FROM credential`),
        await db.all(sql`SELECT * FROM "user"`),
      ]);
      const text = all.map((reply) => reply.text).join('') + JSON.stringify(stored);
      // A word sent as the user name of an address is part of the address.
      assert.deepEqual(
        words.filter((word) => text.replace(/https:\/\/u:[^@]*@/g, '').includes(word)),
        [],
      );
    });
  });
}
