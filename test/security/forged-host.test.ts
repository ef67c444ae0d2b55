import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { raw } from '../support/raw.js';
import { behaviour, makeEvent, must } from '../support/rows.js';
import { Findings, picture, upload } from './support.js';

/** Row "forged host": absolute links name the configured address, or the one listened on, whatever a header says (A12). */

const EVIL = 'evil.test';
const FORGED: Record<string, string>[] = [
  { host: EVIL },
  { host: `${EVIL}:80` },
  { host: `127.0.0.1@${EVIL}` },
  { 'x-forwarded-host': EVIL },
  { 'x-forwarded-host': `127.0.0.1, ${EVIL}`, 'x-forwarded-proto': 'https' },
  { 'x-forwarded-server': EVIL },
  { 'x-host': EVIL },
  { forwarded: `for=1.2.3.4;host=${EVIL};proto=https` },
  { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-host': EVIL },
  { 'x-forwarded-prefix': `//${EVIL}` },
  { 'x-original-url': `//${EVIL}/`, 'x-rewrite-url': `//${EVIL}/` },
  { origin: `https://${EVIL}`, referer: `https://${EVIL}/` },
];

/** In the examples of the OpenAPI document. */
const EXAMPLE = 'https://example.org';
const pathsFor = (id: number, slug: string): string[] => [
  '~/',
  '~/docs',
  '~/de/docs',
  '~/api',
  '~/wp-json',
  '~/llms.txt',
  '~/.well-known/api-catalog',
  '~/.well-known/security.txt',
  '~/robots.txt',
  '/',
  '/doc',
  '/openapi.json',
  '/users/me',
  '/events',
  '/events?per_page=1',
  '/events?_envelope',
  '/venues',
  '/categories',
  '/tags',
  `/events/${id}`,
  `/events/by-slug/${slug}`,
  '/events/0',
  '/nothing',
  '/media',
];

for (const [title, env, own] of [
  ['no address configured', {}, undefined],
  ['an address configured', { KALENDS_PUBLIC_URL: 'https://calendar.example' }, 'https://calendar.example'],
  ['a proxy trusted that is not this one', { KALENDS_TRUSTED_PROXIES: '10.9.8.7' }, undefined],
] as const) {
  behaviour(
    `forged host: ${title}`,
    async (s) => {
      const image = await must(upload(s, await picture(), 'admin'));
      const event = await makeEvent(s, { venue: 'Hall', organizer: 'Ann', categories: ['C'], image: image.id });
      await makeEvent(s, {});
      const home = own ?? s.home;
      const at = (path: string): string => (path.startsWith('~') ? s.home + path.slice(1) : s.api + path);

      test('no answer names the forged host, and all name ours', async () => {
        const found = new Findings();
        for (const headers of FORGED) {
          for (const path of pathsFor(event.id, event.slug)) {
            for (const method of ['GET', 'OPTIONS']) {
              const answer = await raw(at(path), { method, headers });
              const all = JSON.stringify([...answer.headers]) + answer.text;
              found.check(
                !all.includes(EVIL),
                () => `${method} ${path} ${JSON.stringify(headers)}: ${all.slice(0, 300)}`,
              );
              const links = all.match(/https?:\/\/[^\s"'<>\\/]+(?=[^\s"'<>\\]*\/events\/v1)/g) ?? [];
              found.check(
                links.every((link) => link === home || link === EXAMPLE),
                () => `${method} ${path}: ${[...new Set(links)]}`,
              );
            }
          }
        }
        found.end(400);
      });

      test('a record made under a forged host keeps our address, for everybody and forever', async () => {
        const body = JSON.stringify({ title: 'Made', start_date: '2031-01-01', end_date: '2031-01-02' });
        const { username, password } = s.users.admin;
        const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
        const headers = { host: EVIL, 'x-forwarded-host': EVIL, authorization, 'content-type': 'application/json' };
        const made = await raw(`${s.api}/events`, { method: 'POST', headers, body });
        assert.equal(made.status, 201, made.text);
        assert.ok(!(made.text + made.headers.get('location')).includes(EVIL));
        assert.ok(made.headers.get('location')?.startsWith(home));
        assert.ok(!(await s.get(`/events/${made.json.id}`)).text.includes(EVIL));
      });

      test('an absolute address in the request line does not count either', async () => {
        const answer = await new Promise<string>((resolve, reject) => {
          let text = '';
          const { port } = new URL(s.home);
          const socket = connect(Number(port), '127.0.0.1', () =>
            socket.write(
              `GET http://${EVIL}${new URL(s.api).pathname}/events HTTP/1.1\r\nHost: ${EVIL}\r\nConnection: close\r\n\r\n`,
            ),
          );
          socket.on('data', (chunk) => {
            text += chunk;
          });
          socket.on('end', () => resolve(text));
          socket.on('error', reject);
        });
        assert.match(answer, /^HTTP\/1\.1 (200|400|404) /);
        assert.ok(!answer.includes(EVIL), answer);
      });
    },
    { KALENDS_LOG_LEVEL: 'silent', ...env },
  );
}

behaviour(
  'forged host: this proxy is trusted',
  (s) => {
    const home = async (headers: Record<string, string>): Promise<string> =>
      (await raw(`${s.api}/events`, { headers })).json.rest_url;
    test('the forwarded host counts, the last of several, and only if it is one', async () => {
      assert.ok(
        (await home({ 'x-forwarded-host': 'cal.example', 'x-forwarded-proto': 'https' })).startsWith(
          'https://cal.example/',
        ),
      );
      assert.ok((await home({ 'x-forwarded-host': `${EVIL}, cal.example` })).startsWith('http://cal.example/'));
      for (const bad of ['a/b', 'x@y', 'a b', '<script>', '"', 'a.example:123456', '']) {
        assert.ok((await home({ 'x-forwarded-host': bad })).startsWith(s.home), bad);
      }
      assert.ok(
        (await home({ 'x-forwarded-host': 'cal.example', 'x-forwarded-proto': 'javascript' })).startsWith(
          'http://cal.example/',
        ),
      );
      assert.ok((await home({ host: EVIL })).startsWith(s.home));
    });
  },
  { KALENDS_TRUSTED_PROXIES: '127.0.0.1' },
);
