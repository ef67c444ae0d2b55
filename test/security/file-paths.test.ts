import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { filesInFolder } from '../../src/media/folder.js';
import { behaviour, makeEvent, must } from '../support/rows.js';
import { Findings, listRoutes, picture, ROUTES, upload } from './support.js';

/** Rows "file paths from input" and "open redirect": no parameter reaches the file system, none says where to go. */

const CANARY = 'zqcanaryofthefilesystemzq';
const WAYS = [
  '../',
  '..%2f',
  '%2e%2e/',
  '%2e%2e%2f',
  '..%5c',
  '..\\',
  '....//',
  '..%252f',
  '..%c0%af',
  '%00../',
  './../',
  '.%2e/',
  '..;/',
];
const TARGETS = ['canary.txt', 'kalends.db', 'etc/passwd', 'package.json', 'proc/self/environ'];
const SIGNS = [CANARY, 'root:x:0:0', 'SQLite format 3', '"kalends"', 'KALENDS_DATA_DIR'];

behaviour(
  'file paths and redirects',
  async (s) => {
    const image = await must(upload(s, await picture(400, 300), 'admin'));
    await makeEvent(s, { image: image.id });
    const dir = s.config.dataDir;
    writeFileSync(path.join(dir, 'canary.txt'), CANARY);
    mkdirSync(path.join(dir, 'media'), { recursive: true });
    writeFileSync(path.join(dir, 'media', 'canary.txt'), CANARY);
    const name = new URL(image.url).pathname.split('/').at(-1) ?? '';

    test('no way out of a folder, in any spelling', async () => {
      const found = new Findings();
      const bases = [
        '/media/',
        '/docs/assets/',
        '/docs/',
        '/',
        '/.well-known/',
        '/de/media/',
        `/media/${name}/`,
        `/media/${name}`,
      ];
      for (const base of bases) {
        for (const way of WAYS) {
          for (const target of TARGETS) {
            for (const deep of [1, 2, 8]) {
              const reply = await rawPath(base + way.repeat(deep) + target);
              const sign = SIGNS.find((one) => reply.text.includes(one));
              found.check(sign === undefined, () => `${base}${way}${target}: ${sign}`);
              found.check([200, 400, 404].includes(reply.status), () => `${base}${way}${target}: ${reply.status}`);
            }
          }
        }
      }
      found.end(1000);
    });
    const rawPath = (at: string) => {
      const { hostname, port } = new URL(s.home);
      return import('node:http').then(
        ({ request }) =>
          new Promise<{ status: number; text: string }>((resolve, reject) => {
            const sent = request({ hostname, port, path: at }, (answer) => {
              let text = '';
              answer.setEncoding('latin1');
              answer.on('data', (chunk: string) => {
                text += chunk;
              });
              answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
            });
            sent.on('error', reject);
            sent.end();
          }),
      );
    };

    test('the name of a file is one of ours, to the letter', async () => {
      assert.equal((await s.ask('GET', `~/media/${name}`)).status, 200);
      const stem = name.slice(0, 32);
      const wrong = [
        stem,
        `${stem}.`,
        `${stem}.jpg`,
        `${stem}.svg`,
        `${stem}.png.html`,
        `${stem}-medium.PNG`,
        `${stem}-nosuchsize.png`,
        `${stem}-../x.png`,
        `${name}%00.html`,
        `${name}%20`,
        `${name.toUpperCase()}`,
        `${stem}.png.part`,
        `${stem.slice(1)}.png`,
        `-${name}`,
        `${stem}--.png`,
        `canary.txt`,
      ];
      for (const one of wrong) assert.equal((await s.ask('GET', `~/media/${one}`)).status, 404, one);
    });

    test('the store itself refuses every other name', async () => {
      const files = filesInFolder(path.join(dir, 'media'));
      for (const bad of [
        '../canary.txt',
        'canary.txt',
        '/etc/passwd',
        '',
        '.',
        '..',
        `${'a'.repeat(32)}.png/../../canary.txt`,
        `${'a'.repeat(32)}-../.png`,
        `${'a'.repeat(32)}.png\n`,
        `${'A'.repeat(32)}.png`,
      ]) {
        assert.equal(await files.get(bad), undefined, bad);
        await assert.rejects(files.put(bad, Buffer.from('x')), bad);
        await assert.rejects(files.remove(bad), bad);
      }
      assert.equal(readFileSync(path.join(dir, 'canary.txt'), 'utf8'), CANARY);
    });

    test('a path in any field or parameter is a text, and makes no file', async () => {
      const tree = () =>
        readdirSync(dir, { recursive: true })
          .map(String)
          .filter((one) => !/kalends\.db/.test(one))
          .sort();
      const before = tree();
      const evil = [
        '../../canary.txt',
        '/etc/passwd',
        'file:///etc/passwd',
        `${dir}/canary.txt`,
        '..\\..\\canary.txt',
        'php://filter/resource=/etc/passwd',
        '\\\\evil.test\\share',
        '%2e%2e%2fcanary.txt',
      ];
      const found = new Findings();
      for (const value of evil) {
        for (const { path: at, params } of listRoutes()) {
          for (const param of [...params, 'file', 'path', 'template', 'lang', 'rest_route']) {
            const reply = await s.get(at, { [param]: value }, 'admin');
            found.check(!SIGNS.some((sign) => reply.text.includes(sign)), () => `${at}?${param}=${value}`);
          }
        }
        for (const field of ['title', 'image', 'slug', 'venue', 'timezone', 'file']) {
          const reply = await s.post(
            '/events',
            { title: 'T', start_date: '2031-01-01', end_date: '2031-01-02', [field]: value },
            'admin',
          );
          found.check([201, 400].includes(reply.status), () => `${field} ${value}: ${reply.status}`);
          found.check(!SIGNS.some((sign) => reply.text.includes(sign)), () => `${field} ${value}`);
        }
        const form = new FormData();
        form.set('file', new Blob([new Uint8Array(await picture())], { type: 'image/png' }), value);
        const stored = await s.ask('POST', '/media', { as: 'admin', body: form });
        found.check(
          stored.status === 201 && /\/media\/[0-9a-f]{32}\.png$/.test(stored.json.url),
          () => `named ${value}: ${stored.text}`,
        );
        if (stored.status === 201) await s.del(`/media/${stored.json.id}`, 'admin');
        for (const language of [value, '../en', 'en/../../x'])
          await s.ask('GET', '/events', { headers: { 'accept-language': language.replace(/[^\x20-\x7e]/g, '') } });
      }
      assert.deepEqual(
        tree().filter((one) => one !== 'media' && !/^media\/[0-9a-f]{2}$/.test(one)),
        before.filter((one) => one !== 'media' && !/^media\/[0-9a-f]{2}$/.test(one)),
      );
      found.end(400);
    });

    test('nothing redirects, least of all to where a parameter says', async () => {
      const found = new Findings();
      const paths = ROUTES.map((route) => route.path.replace(':id', '1').replace(':slug', 'x'));
      const outside = [
        '~/',
        '~/docs',
        '~/docs/',
        '~/api/',
        '~//evil.test',
        '~//evil.test/..',
        '~/%5cevil.test',
        '~/https://evil.test',
        '~/de',
        '~/de/',
        '~/media',
      ];
      for (const at of [...paths, ...paths.map((one) => `${one}/`), ...outside]) {
        for (const query of [
          '',
          'redirect=https://evil.test',
          'next=//evil.test',
          'url=https://evil.test&return_to=https://evil.test&redirect_to=//evil.test&continue=https://evil.test',
          'rest_route=//evil.test',
        ]) {
          const reply = await s.ask('GET', at, { query });
          found.check(reply.status < 300 || reply.status >= 400, () => `${at}?${query}: ${reply.status}`);
          found.check(
            reply.headers.get('location') === null && reply.headers.get('refresh') === null,
            () => `${at}: Location`,
          );
          found.check(!/http-equiv="?refresh/i.test(reply.text), () => `${at}: refresh`);
        }
      }
      found.end(200);
    });
  },
  { KALENDS_LOG_LEVEL: 'silent' },
);
