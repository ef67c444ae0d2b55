import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { behaviour, makeEvent, must } from '../support/rows.js';
import type { Reply, RoleName } from '../support/server.js';
import { storedNames } from '../support/stored.js';
import { nameOf, picture, upload, WHO } from './support.js';
import { animation, png } from './uploads.files.js';

/** Row "upload of something else": only pictures are kept, written anew, under names of ours, as visible as their record. */

const text = (s: string): Buffer => Buffer.from(s);
const HTML = '<html><script>alert(1)</script></html>';
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><script>alert(1)</script></svg>';
const PHP = '<?php system($_GET["c"]); ?>';

behaviour(
  'uploads',
  async (s) => {
    const stored = (): Promise<string[]> => storedNames(s);
    const good = await picture();
    const jpeg = await picture(40, 30, 'jpeg');
    const form = (body: Uint8Array, name: string, type: string): FormData => {
      const made = new FormData();
      made.set('file', new Blob([new Uint8Array(body)], { type }), name);
      return made;
    };

    const parts = (n: number, size: number): FormData => {
      const made = new FormData();
      for (let i = 0; i < n; i++) made.set(`part${i}`, 'x'.repeat(size));
      return made;
    };

    const REFUSED: [string, Buffer][] = [
      ['a program', Buffer.concat([text('MZ'), Buffer.alloc(500)])],
      ['a shell script', text('#!/bin/sh\nid\n')],
      ['an ELF file', Buffer.concat([Buffer.from([0x7f, 0x45, 0x4c, 0x46]), Buffer.alloc(500)])],
      ['PHP', text(PHP)],
      ['HTML', text(HTML)],
      ['SVG', text(SVG)],
      ['SVG with a byte order mark', text(`\ufeff<?xml version="1.0"?>${SVG}`)],
      ['a PDF', text('%PDF-1.4\n1 0 obj\n')],
      ['a ZIP', text('PK\u0003\u0004')],
      ['the first bytes of a PNG, then HTML', Buffer.concat([good.subarray(0, 8), text(HTML)])],
      ['GIF89a and PHP', text(`GIF89a${PHP}`)],
      ['half a PNG', (await picture(400, 300)).subarray(0, 200)],
      ['half a JPEG', (await picture(400, 300, 'jpeg')).subarray(0, 400)],
      ['a TIFF', await sharp(good).tiff().toBuffer()],
      ['a PNG without pixels', png(0, 0, Buffer.alloc(0))],
    ];
    const EMPTY = [400, 'bad-request', /^The file is empty/] as const;
    /** What is wrong with the size, and what is said about it. */
    const SIZES: [string, Buffer, number, string, RegExp][] = [
      ['nothing', Buffer.alloc(0), ...EMPTY],
      ['too many bytes', Buffer.concat([good, Buffer.alloc(2_200_000)]), 413, 'media-too-large', /: at most 2 MB\.$/],
      ...(
        [
          ['a PNG that says it is enormous', png(60_000, 60_000, deflateSync(Buffer.alloc(1000))), 5_000_000],
          ['a decompression bomb', png(20_000, 20_000, deflateSync(Buffer.alloc(2501 * 20_000))), 5_000_000],
          ['an animation of too many pixels', await animation(60, 300, 300), 1_000_000],
        ] as const
      ).map(([name, body, most]): [string, Buffer, number, string, RegExp] => [
        name,
        body,
        413,
        'media-too-large',
        new RegExp(`too many pixels: at most ${most},`),
      ]),
    ];
    describe('what has a wrong size says so', () => {
      for (const [name, body, status, code, message] of SIZES) {
        test(name, async () => {
          const files = await stored();
          const from = performance.now();
          for (const reply of [
            await upload(s, body),
            await s.ask('POST', '/media', { as: 'author', body: form(body, 'a.png', 'image/png') }),
          ]) {
            assert.deepEqual([reply.status, reply.json.code], [status, code], reply.text);
            assert.match(reply.json.message, message);
          }
          assert.ok(performance.now() - from < 5000, 'quickly');
          assert.deepEqual(await stored(), files, 'nothing is left behind');
        });
      }
      test('a form without a file, and one with two', async () => {
        const none = new FormData();
        none.set('alt_text', 'Nothing to see');
        const two = form(good, 'a.png', 'image/png');
        two.set('second', new Blob([new Uint8Array(good)], { type: 'image/png' }), 'b.png');
        for (const [body, message] of [
          [none, /^The form contains no file/],
          [two, /^The form contains more than one file/],
        ] as const) {
          const reply = await s.ask('POST', '/media', { as: 'author', body });
          assert.deepEqual([reply.status, reply.json.code], [400, 'bad-request'], reply.text);
          assert.match(reply.json.message, message);
        }
        assert.equal((await s.ask('POST', '/media', { body: none })).status, 401, 'rights come first');
      });
    });
    describe('a form that is broken is refused at once', () => {
      const part = 'Content-Disposition: form-data; name="alt_text"\r\n\r\nx';
      const file = 'Content-Disposition: form-data; name="f"; filename="a.png"\r\nContent-Type: image/png\r\n\r\nx';
      for (const text of [
        '',
        'x',
        '--b',
        '--b\r\n',
        '--b--',
        '--b\r\n\r\n--b--',
        `--b\r\n${part}`,
        `--b\r\n${part}\r\n--b`,
        `--b\r\n${part}\r\n--b\r\n`,
        `--b\r\n${part.slice(0, 30)}`,
        `--b\r\n${part.slice(0, 30)}\r\n--b--`,
        `--b\r\n${file}`,
        `--b\r\n${file}\r\n--b`,
        `--b\r\n${file.slice(0, 60)}`,
        `--b\r\n${file.slice(0, 60)}\r\n--b--\r\n`,
        `--b\r\n${part}\r\n--b\r\n${file}\r\n--c--`,
        `--b\r\nX\r\n--b\r\n${file}\r\n--b\r\n\r\n`,
      ]) {
        test(JSON.stringify(text), async () => {
          for (const [path, body] of [
            ['/media', text],
            ['/events', text],
          ] as const) {
            const from = performance.now();
            const reply = await s.ask('POST', path, {
              as: 'author',
              body,
              headers: { 'content-type': 'multipart/form-data; boundary=b' },
            });
            assert.ok([400, 415].includes(reply.status), `${path} ${reply.status} ${reply.text}`);
            const ms = performance.now() - from;
            assert.ok(ms < 1000, `${path} ${Math.round(ms)} ms: ${reply.text}`);
          }
        });
      }
      test('a whole one of many fields and a large file is read to its end', async () => {
        const made = new FormData();
        for (let n = 0; n < 400; n++) made.set(`field${n}`, 'x'.repeat(2000));
        const body = Buffer.concat([good, Buffer.alloc(1_900_000)]);
        made.set('alt_text', 'Large');
        made.set('file', new Blob([new Uint8Array(body)], { type: 'image/png' }), 'a.png');
        const replies = await Promise.all(
          [1, 2, 3, 4].map(() => s.ask('POST', '/media', { as: 'author', body: made })),
        );
        for (const reply of replies) assert.deepEqual([reply.status, reply.json.alt_text], [201, 'Large'], reply.text);
      });
    });
    describe('what is no picture', () => {
      for (const [name, body] of REFUSED) {
        test(`${name} is refused, as a body and as a file of a form, whatever it calls itself`, async () => {
          const files = await stored();
          const from = performance.now();
          for (const type of ['image/png', 'image/jpeg', 'image/svg+xml', 'image/x-anything']) {
            const reply = await upload(s, body, 'author', type);
            assert.equal(reply.status, 415, `${type}: ${reply.text}`);
            assert.equal(reply.json.code, 'media-type');
          }
          for (const [file, type] of [
            ['a.png', 'image/png'],
            ['a.php', 'application/x-php'],
            ['a.png', 'text/html'],
          ] as const) {
            const reply = await s.ask('POST', '/media', { as: 'author', body: form(body, file, type) });
            assert.equal(reply.status, 415, `${file} ${type}: ${reply.text}`);
          }
          assert.ok(performance.now() - from < 5000, 'quickly');
          assert.deepEqual(await stored(), files, 'nothing is left behind');
        });
      }
      for (const type of ['text/html', 'application/octet-stream', 'application/x-php', 'text/plain']) {
        test(`a picture sent as ${type} is no picture`, async () => {
          assert.equal((await upload(s, good, 'author', type)).status, 415);
        });
      }
    });

    describe('what is a picture, and something else', async () => {
      const POLYGLOTS: [string, Buffer, string][] = [
        ['a PNG with HTML behind it', Buffer.concat([good, text(HTML)]), 'png'],
        ['a PNG with PHP behind it', Buffer.concat([good, text(PHP)]), 'png'],
        ['a JPEG with a ZIP behind it', Buffer.concat([jpeg, text('PK\u0003\u0004alert(1)')]), 'jpg'],
        [
          'a JPEG with PHP in its comment',
          await sharp(good)
            .jpeg()
            .withExif({ IFD0: { ImageDescription: PHP, Copyright: HTML } })
            .toBuffer(),
          'jpg',
        ],
      ];
      for (const [name, body, extension] of POLYGLOTS) {
        test(`${name} is written anew, without it`, async () => {
          const made = await must(s.ask('POST', '/media', { as: 'author', body: form(body, 'x.php', 'text/html') }));
          assert.match(made.url, new RegExp(`/media/[0-9a-f]{32}\\.${extension}$`));
          const bytes = await bytesOf(made.url, 'author');
          for (const sign of ['<script', '<?php', 'alert(1)', 'PK\u0003\u0004']) assert.ok(!bytes.includes(sign), sign);
        });
      }
      test('the place where it was taken is gone, and everything else that was written into it', async () => {
        const body = await sharp(await picture(900, 700, 'jpeg'))
          .withExif({
            IFD0: { Make: 'SpyCam', Artist: 'Ada' },
            IFD3: {
              GPSLatitudeRef: 'N',
              GPSLatitude: '51/1 30/1 0/1',
              GPSLongitudeRef: 'W',
              GPSLongitude: '0/1 7/1 0/1',
            },
          })
          .withXmp?.('<x:xmpmeta xmlns:x="adobe:ns:meta/">SpyCam</x:xmpmeta>')
          .jpeg()
          .toBuffer();
        assert.ok((await sharp(body).metadata()).exif, 'it was there');
        for (const format of ['jpeg', 'webp', 'avif'] as const) {
          const sent = format === 'jpeg' ? body : await sharp(body).keepMetadata().toFormat(format).toBuffer();
          const made = await must(upload(s, sent, 'author', `image/${format}`));
          for (const url of [
            made.url,
            ...Object.values(made.sizes as Record<string, { url: string }>).map((one) => one.url),
          ]) {
            const bytes = await bytesOf(url, 'author');
            const { exif, xmp, iptc } = await sharp(bytes).metadata();
            assert.deepEqual([exif, xmp, iptc], [undefined, undefined, undefined], url);
            assert.ok(!bytes.includes('SpyCam') && !bytes.includes('Exif\0'), url);
          }
        }
      });
    });

    const bytesOf = async (url: string, as: RoleName): Promise<Buffer> => {
      const { username, password } = s.users[as];
      const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
      const answer = await fetch(url, { headers: { authorization } });
      assert.equal(answer.status, 200, url);
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
      assert.match(answer.headers.get('content-security-policy') ?? '', /sandbox/);
      assert.match(answer.headers.get('content-type') ?? '', /^image\/(jpeg|png|webp|gif|avif)$/);
      return Buffer.from(await answer.arrayBuffer());
    };

    describe('who, how much, and who sees it', () => {
      for (const who of WHO) {
        const may = who === 'author' || who === 'editor' || who === 'admin';
        test(`${nameOf(who)} ${may ? 'may' : 'may not'} upload`, async () => {
          const files = (await stored()).length;
          const replies: Reply[] = [
            await s.ask('POST', '/media', { as: who, body: good, headers: { 'content-type': 'image/png' } }),
            await s.ask('POST', '/media', { as: who, body: form(good, 'a.png', 'image/png') }),
          ];
          for (const reply of replies) assert.equal(reply.status, may ? 201 : who ? 403 : 401, reply.text);
          assert.equal((await stored()).length > files, may);
        });
      }
      const big = Buffer.concat([good, Buffer.alloc(2_200_000)]);
      /** Fine for a picture, too much for anything else. */
      const middling = Buffer.concat([good, Buffer.alloc(1_200_000)]);
      for (const [name, ask] of [
        ['as a body', () => upload(s, big)],
        ['in a form', () => s.ask('POST', '/media', { as: 'author', body: form(big, 'a.png', 'image/png') })],
        [
          'as a body of a kind that carries nothing',
          () =>
            s.ask('POST', '/media', {
              as: 'author',
              body: big,
              headers: { 'content-type': 'application/octet-stream' },
            }),
        ],
        [
          'to another route',
          () => s.ask('POST', '/events', { as: 'author', body: middling, headers: { 'content-type': 'image/png' } }),
        ],
        [
          'to another route, as JSON',
          () =>
            s.ask('POST', '/events', {
              as: 'author',
              body: `"${'x'.repeat(1_200_000)}"`,
              headers: { 'content-type': 'application/json' },
            }),
        ],
        [
          'to another route, as text',
          () => s.ask('POST', '/events', { as: 'author', body: middling, headers: { 'content-type': 'text/plain' } }),
        ],
        [
          'to another route, in a form',
          () =>
            s.ask('POST', '/events', {
              as: 'author',
              body: new URLSearchParams({ title: 'x'.repeat(1_200_000) }).toString(),
              headers: { 'content-type': 'application/x-www-form-urlencoded' },
            }),
        ],
        ['to another route, in many parts', () => s.ask('POST', '/events', { as: 'author', body: parts(4, 400_000) })],
        ['by nobody', () => s.ask('POST', '/media', { body: big, headers: { 'content-type': 'image/png' } })],
      ] as [string, () => Promise<Reply>][]) {
        test(`too much ${name}: 413`, async () => {
          assert.equal((await ask()).status, 413);
        });
      }
      test('names are random: no two alike, none tells the order or the owner', async () => {
        const made = await Promise.all(Array.from({ length: 8 }, () => must(upload(s, good))));
        const stems = made.map(({ url }) => url.split('/').at(-1).slice(0, 32));
        assert.equal(new Set(stems).size, 8);
        assert.ok(stems.every((stem) => /^[0-9a-f]{32}$/.test(stem)));
        assert.notDeepEqual([...stems].sort(), stems);
      });
      test('an image is seen by everybody only while a published, open record shows it', async () => {
        const { url, id, sizes } = await must(upload(s, await picture(400, 300)));
        const seen = async (as?: RoleName): Promise<number> => (await s.ask('GET', url, { as })).status;
        assert.deepEqual(
          [await seen(), await seen('contributor'), await seen('author'), await seen('editor')],
          [404, 404, 200, 200],
        );
        const event = await makeEvent(s, { image: id, status: 'draft' }, 'author');
        for (const [change, wanted] of [
          [{}, 404],
          [{ status: 'publish' }, 200],
          [{ new_password: 'word' }, 404],
          [{ new_password: '' }, 200],
          [{ status: 'private' }, 404],
          [{ status: 'publish', image: '' }, 404],
          [{ image: id }, 200],
          [{ status: 'trash' }, 404],
        ] as const) {
          await must(s.patch(`/events/${event.id}`, change, 'author'), 200);
          assert.equal(await seen(), wanted, JSON.stringify(change));
          assert.equal((await s.ask('GET', sizes.medium.url)).status, wanted, 'each size');
        }
      });
      test('another author may neither see, use, change nor remove it; in use it stays; removed it is gone', async () => {
        const { url, id } = await must(upload(s, await picture(400, 300), 'admin'));
        for (const [method, json] of [['GET'], ['PATCH', { alt_text: 'x' }], ['DELETE', {}]] as const)
          assert.equal((await s.ask(method, `/media/${id}`, { as: 'author', ...(json ? { json } : {}) })).status, 403);
        const on = { title: 'T', start_date: '2031-01-01', end_date: '2031-01-02' };
        for (const image of [id, String(id), url])
          assert.equal((await s.post('/events', { ...on, image }, 'author')).status, 400);
        const event = await makeEvent(s, { image: id });
        assert.equal((await s.del(`/media/${id}`, 'admin')).status, 409);
        await must(s.del(`/events/${event.id}`, 'admin', { force: true }), 200);
        const stem = url.split('/').at(-1).slice(0, 32);
        assert.ok((await stored()).some((name) => name.includes(stem)));
        await must(s.del(`/media/${id}`, 'admin'), 200);
        assert.ok(!(await stored()).some((name) => name.includes(stem)), 'no file is left');
        assert.equal((await s.ask('GET', url, { as: 'admin' })).status, 404);
      });
    });
  },
  { KALENDS_MEDIA_LIMIT: '2m', KALENDS_BODY_LIMIT: '1m', KALENDS_MEDIA_PIXELS: '5000000', KALENDS_LOG_LEVEL: 'silent' },
);
