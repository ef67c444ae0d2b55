import assert from 'node:assert/strict';
import { copyFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import sharp from 'sharp';
import { Failure } from '../src/errors.js';
import { allImages } from '../src/media/image.store.js';
import { DOOMED, hasLoose, noteLoose } from '../src/media/loose.store.js';
import { filesAt } from '../src/media/open.js';
import { sweep } from '../src/media/sweep.js';
import { nowSeconds } from '../src/time/clock.js';
import { basic, picture, upload } from './security/support.js';
import { animation } from './security/uploads.files.js';
import { behaviour, makeEvent, must, unique } from './support/rows.js';
import { startObjectStore } from './support/s3.js';
import { type RoleName, startServer, type TestServer } from './support/server.js';
import { namesIn } from './support/stored.js';

/** Where the files of pictures lie makes no difference: a folder or an object store. */

const stemOf = (url: string): string => url.split('/').at(-1)?.slice(0, 32) ?? '';
const anyLoose = (s: TestServer): Promise<boolean> => s.database.read((db) => hasLoose(db, nowSeconds()));

/** A picture on another server. */
const pictures = createServer(async (_request, answer) => {
  answer.setHeader('content-type', 'image/png').end(await picture(400, 300));
});
await new Promise<void>((resolve) => pictures.listen(0, '127.0.0.1', resolve));
after(() => pictures.close());
const elsewhere = `127.0.0.1:${(pictures.address() as AddressInfo).port}`;

const store = await startObjectStore();
after(() => store.close());

for (const [kind, place] of [
  ['a folder', {}],
  ['an object store', store.env],
] as const) {
  behaviour(
    `pictures in ${kind}`,
    (s) => {
      const files = filesAt(s.config.mediaUrl, s.config);
      const asked = async (url: string, as?: RoleName, headers: Record<string, string> = {}, method = 'GET') => {
        const signed: Record<string, string> = as ? { authorization: basic(as, s.users[as].password) } : {};
        const answer = await fetch(url, { method, headers: { ...signed, ...headers } });
        return { answer, bytes: Buffer.from(await answer.arrayBuffer()) };
      };

      test('what is uploaded is served, every size, whole', async () => {
        const made = await must(upload(s, await picture(900, 700)));
        const sizes = Object.values(made.sizes as Record<string, { url: string; filesize: number }>);
        assert.equal(sizes.length, 3);
        for (const { url, filesize } of [made, ...sizes]) {
          const { answer, bytes } = await asked(url, 'author');
          assert.equal(answer.status, 200);
          assert.equal(bytes.length, filesize);
          assert.equal(answer.headers.get('content-length'), String(filesize));
          assert.equal(answer.headers.get('content-type'), 'image/png');
          assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
          assert.equal(answer.headers.get('cache-control'), 'private, no-store');
          const head = await asked(url, 'author', {}, 'HEAD');
          assert.deepEqual([head.answer.status, head.bytes.length], [200, 0]);
          assert.equal(head.answer.headers.get('content-length'), String(filesize));
        }
        const names = (await namesIn(files)).filter((name) => name.startsWith(stemOf(made.url)));
        assert.equal(names.length, 4);
        assert.equal(await anyLoose(s), false);
      });

      test('a large picture has every size, none of them larger than itself', async () => {
        const { id, sizes } = await must(upload(s, await picture(2600, 1300)));
        const measured = Object.entries(sizes as Record<string, { width: number; height: number }>);
        assert.deepEqual(
          measured.map(([name, { width, height }]) => `${name} ${width} ${height}`),
          [
            'medium 300 150',
            'large 1024 512',
            'thumbnail 150 150',
            'medium_large 768 384',
            '1536x1536 1536 768',
            '2048x2048 2048 1024',
          ],
        );
        for (const { url } of Object.values(sizes as Record<string, { url: string }>))
          assert.equal((await must(s.post('/venues', { venue: unique('Hall'), image: url }, 'admin'))).image.id, id);
      });

      test('a moving picture is as high as one of its frames', async () => {
        const { width, height, sizes } = await must(upload(s, await animation(3, 200, 100)));
        assert.deepEqual([width, height, Object.keys(sizes)], [200, 100, ['thumbnail']]);
        // One that is to be turned stands still.
        const moving = sharp(await animation(3, 200, 100), { animated: true });
        const turned = await moving.webp().withMetadata({ orientation: 6 }).toBuffer();
        const told = await must(upload(s, turned));
        assert.deepEqual([told.width, told.height], [100, 200]);
      });

      test('it is public while a published record shows it, and known pictures are not sent again', async () => {
        const { id, url } = await must(upload(s, await picture()));
        assert.equal((await asked(url)).answer.status, 404);
        const event = await makeEvent(s, { image: id, status: 'publish' }, 'author');
        const { answer } = await asked(url);
        assert.equal(answer.status, 200);
        assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable');
        assert.equal(answer.headers.get('access-control-allow-origin'), '*', 'A9');
        const tag = answer.headers.get('etag') ?? '';
        const again = await asked(url, undefined, { 'if-none-match': tag });
        assert.deepEqual([again.answer.status, again.bytes.length], [304, 0]);
        await must(s.patch(`/events/${event.id}`, { status: 'draft' }, 'author'), 200);
        assert.equal((await asked(url, undefined, { 'if-none-match': tag })).answer.status, 404);
      });

      test('what is removed is gone from the store', async () => {
        const { id, url } = await must(upload(s, await picture(400, 300)));
        await must(s.del(`/media/${id}`, 'author'), 200);
        assert.equal((await asked(url, 'admin')).answer.status, 404);
        assert.ok(!(await namesIn(files)).some((name) => name.startsWith(stemOf(url))));
        assert.equal(await anyLoose(s), false);
      });

      test('a picture is fetched once for an address; of a refused write nothing stays', async () => {
        const before = await namesIn(files);
        const image = `http://${elsewhere}/a.png`;
        const on = { title: 'T', start_date: '2031-01-01', end_date: '2031-01-02' };
        const refused = await s.post(
          '/events',
          { ...on, image, venue: { venue: 'V', image }, categories: ['no such'], status: 'no such' },
          'author',
        );
        assert.equal(refused.status, 400, refused.text);
        assert.deepEqual(await namesIn(files), before);
        assert.equal(await anyLoose(s), false);
        const first = await makeEvent(s, { image, status: 'publish' }, 'author');
        const second = await makeEvent(s, { image, status: 'publish' }, 'author');
        assert.equal(first.image.id, second.image.id);
        assert.equal((await asked(first.image.url)).answer.status, 200);
        assert.equal((await namesIn(files)).length, before.length + 3);
        // Another user's picture may not be public, so each has their own; but only one.
        const theirs = [];
        for (let n = 0; n < 3; n++) theirs.push((await makeEvent(s, { image, status: 'publish' }, 'editor')).image.id);
        assert.deepEqual(new Set(theirs).size, 1);
        assert.notEqual(theirs[0], first.image.id);
        assert.equal((await namesIn(files)).length, before.length + 6);
      });

      test('a picture that an earlier version fetched is known to who gave its address, and to nobody else', async () => {
        const image = `http://${elsewhere}/earlier.png`;
        const { image: known } = await makeEvent(s, { image }, 'author');
        await s.database.write((db) => db.run(sql`UPDATE image SET source_url = ${image} WHERE id = ${known.id}`));
        assert.equal((await makeEvent(s, { image }, 'author')).image.id, known.id);
        assert.notEqual((await makeEvent(s, { image }, 'editor')).image.id, known.id);
      });

      test('pictures in lists of places and organizers are fetched, also where the list has numbered members', async () => {
        const [venue, organizer] = [unique('Numbered'), unique('Listed')];
        const image = (name: string): string => `http://${elsewhere}/${name}.png`;
        const event = await makeEvent(s, {
          venue: { 0: { venue, image: image('numbered') } },
          organizer: [{ organizer, image: image('listed') }],
        });
        assert.deepEqual([event.venue.image.width, event.organizer[0].image.width], [400, 400]);
      });

      test('a picture stays if it was stored, though nobody was told so', async () => {
        const rows = () => s.database.read(allImages);
        let known = Number.POSITIVE_INFINITY;
        const other = await startServer({ ...place }, s, (database) => ({
          ...database,
          write: async (work) => {
            const done = await database.write(work);
            if ((await rows()).length <= known) return done;
            known = Number.POSITIVE_INFINITY;
            throw new Failure('service-unavailable');
          },
        }));
        try {
          known = (await rows()).length;
          const before = known;
          assert.equal((await upload(other, await picture(123, 45))).status, 503);
          const [stored] = (await rows()).slice(before);
          assert.ok((await namesIn(files)).some((name) => stored && name.startsWith(stored.file)));
          await must(s.del(`/media/${stored?.id}`, 'admin'), 200);
        } finally {
          await other.close();
        }
      });

      test('an organizer keeps a picture in use', async () => {
        const { id } = await must(upload(s, await picture()));
        await must(s.post('/organizers', { organizer: 'Pictured', image: id }, 'author'));
        assert.equal((await s.del(`/media/${id}`, 'author')).json.code, 'media-in-use');
      });

      test('names that are not ours never reach the store', async () => {
        for (const bad of ['../canary.txt', '', '..', `${'a'.repeat(32)}.png/../x`, `${'A'.repeat(32)}.png`]) {
          assert.equal(await files.get(bad), undefined, bad);
          await assert.rejects(files.put(bad, Buffer.from('x')), bad);
          await assert.rejects(files.remove(bad), bad);
        }
        assert.equal(await files.get(`${'a'.repeat(32)}.png`), undefined);
        await files.remove(`${'a'.repeat(32)}.png`);
      });

      test('what a killed upload left is swept after an hour; nothing else is', async () => {
        const left = async (letter: string, notedAt?: number): Promise<string> => {
          const [file, name] = [letter.repeat(32), `${letter.repeat(32)}.png`];
          await files.put(name, await picture());
          if (notedAt !== undefined) await s.database.write((db) => noteLoose(db, file, [name], notedAt));
          return name;
        };
        const now = nowSeconds();
        const before = await namesIn(files);
        const [old, removed] = [await left('a', now - 3700), await left('b', DOOMED)];
        const [running, foreign] = [await left('c', now - 3500), await left('d')];
        assert.equal(await sweep(s.database, files), 2);
        const after = await namesIn(files);
        assert.ok(!after.includes(old) && !after.includes(removed));
        assert.deepEqual(after, [...before, running, foreign].sort());
        assert.equal(await sweep(s.database, files), 0);
        assert.equal(await sweep(s.database, files, 0), 1);
        await files.remove(foreign);
        assert.deepEqual(await namesIn(files), before);
      });

      test('files that were given up meanwhile are not taken over by a row', async () => {
        const rows = (await s.database.read(allImages)).length;
        // Everything noted is given up at once, as after an hour's sleep in the middle of a request.
        let over = false;
        const sweeping = (async () => {
          for (; !over; await sleep(1)) await sweep(s.database, files, 0);
        })();
        const replies = await Promise.all(Array.from({ length: 5 }, async () => upload(s, await picture(900, 700))));
        over = true;
        await sweeping;
        const made = replies.filter(({ status }) => status === 201);
        for (const { status } of replies) assert.ok(status === 201 || status === 503, String(status));
        assert.ok(made.length < replies.length, 'some were given up');
        assert.equal((await s.database.read(allImages)).length, rows + made.length);
        for (const { json } of made) assert.equal((await asked(json.url, 'author')).answer.status, 200);
      });

      test('two servers with one database and one store see each other’s pictures', async () => {
        const other = await startServer({}, s);
        try {
          const { id, url } = await must(upload(s, await picture()));
          const there = other.home + new URL(url).pathname;
          assert.equal((await asked(there)).answer.status, 404);
          assert.equal((await asked(there, 'author')).answer.status, 200);
          await must(s.del(`/media/${id}`, 'author'), 200);
          assert.equal((await asked(there, 'author')).answer.status, 404);
        } finally {
          await other.close();
        }
      });
    },
    { ...place, KALENDS_FETCH_ALLOW: elsewhere },
  );
}

test('a long list is read page by page', async () => {
  const many = await startObjectStore({ prefix: '' });
  try {
    const files = filesAt(many.env.KALENDS_MEDIA_URL ?? '', { awsAccessKeyId: 'S3RVER', awsSecretAccessKey: 'S3RVER' });
    const nameOf = (n: number): string => `${n.toString(16).padStart(32, '0')}.png`;
    await files.put(nameOf(0), Buffer.from('x'));
    const below = path.join(many.folder, '00');
    for (const part of readdirSync(below))
      for (let n = 1; n < 1040; n++)
        copyFileSync(path.join(below, part), path.join(below, part.replace(nameOf(0), nameOf(n))));
    many.asked();
    assert.equal(new Set(await namesIn(files)).size, 1040);
    assert.equal(many.asked().length, 2);
  } finally {
    await many.close();
  }
});
