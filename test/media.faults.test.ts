import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { hasLoose } from '../src/media/loose.store.js';
import { filesAt } from '../src/media/open.js';
import { sweep } from '../src/media/sweep.js';
import { nowSeconds } from '../src/time/clock.js';
import { basic, picture, upload } from './security/support.js';
import { behaviour, makeEvent, must } from './support/rows.js';
import { startObjectStore } from './support/s3.js';
import { type Reply, startServer } from './support/server.js';

/** The object store fails: it is said, nothing is half done, and it goes on by itself when the store comes back. */

const TIMEOUT = 1;
const store = await startObjectStore({ timeout: TIMEOUT });
after(() => store.close());

const pictures = createServer(async (_request, answer) => {
  answer.setHeader('content-type', 'image/png').end(await picture(400, 300));
});
await new Promise<void>((resolve) => pictures.listen(0, '127.0.0.1', resolve));
after(() => pictures.close());
const elsewhere = `127.0.0.1:${(pictures.address() as AddressInfo).port}`;

function assertUnavailable(reply: Reply): void {
  assert.equal(reply.status, 503, reply.text);
  assert.equal(reply.json.code, 'service-unavailable');
  assert.ok(Number(reply.headers.get('retry-after')) > 0);
}

behaviour(
  'an object store that fails',
  (s) => {
    const files = filesAt(s.config.mediaUrl, s.config);
    const on = { title: 'T', start_date: '2031-01-01', end_date: '2031-01-02', status: 'publish' };
    let n = 0;

    for (const line of ['down', 'failing', 'silent'] as const) {
      test(`${line}: 503 and nothing half; removing works; good again: all of it works`, async () => {
        const shown = await must(upload(s, await picture(400, 300)));
        const doomed = await must(upload(s, await picture(400, 300)));
        const before = {
          images: (await s.get('/media', {}, 'admin')).json.total,
          events: (await s.get('/events')).json.total,
        };
        const image = `http://${elsewhere}/${n++}.png`;
        store.asked();

        await store.disturb(line);
        const from = performance.now();
        assertUnavailable(await upload(s, await picture()));
        // Once for the writing and once for the tidying up, with as many attempts as fit.
        assert.ok(performance.now() - from < 2 * TIMEOUT * 1000 + 2000, `${performance.now() - from} ms`);
        assert.ok(store.asked().length <= 2 * 4, 'a few attempts, not endless ones');
        assertUnavailable(await s.post('/events', { ...on, image }, 'author'));
        assertUnavailable(await s.ask('GET', shown.url, { as: 'author' }));
        assert.equal((await s.ask('GET', '/events')).status, 200, 'everything else goes on');
        assert.equal((await s.ask('GET', '~/readyz')).status, 200);
        await must(s.del(`/media/${doomed.id}`, 'author'), 200);
        await assert.rejects(sweep(s.database, files, 0));

        await store.disturb('good');
        assert.equal((await s.ask('GET', shown.url, { as: 'author' })).status, 200);
        assert.equal((await s.get('/media', {}, 'admin')).json.total, before.images - 1);
        assert.equal((await s.get('/events')).json.total, before.events);
        const event = await makeEvent(s, { image, status: 'publish' }, 'author');
        assert.equal((await s.ask('GET', event.image.url)).status, 200);
        await must(upload(s, await picture()));

        await sweep(s.database, files, 0);
        assert.equal(await s.database.read((db) => hasLoose(db, nowSeconds())), false);
        const stem = doomed.url.split('/').at(-1).slice(0, 32);
        for await (const { name } of files.list()) assert.ok(!name.startsWith(stem), 'removed after all');
      });
    }

    test('a short failure is not seen by anybody', async () => {
      await store.disturb('failing');
      const sent = upload(s, await picture());
      setTimeout(() => void store.disturb('good'), 50);
      assert.equal((await sent).status, 201);
    });

    test('an answer that is cut off in the middle is cut off for the reader, too, and is no picture', async () => {
      const { url } = await must(upload(s, await picture(900, 700)));
      await store.disturb('cut');
      const { username, password } = s.users.author;
      const answer = await fetch(url, { headers: { authorization: basic(username, password) } });
      assert.equal(answer.status, 200);
      await assert.rejects(answer.arrayBuffer());
      await store.disturb('good');
      assert.equal((await s.ask('GET', url, { as: 'author' })).status, 200);
    });
  },
  { ...store.env, KALENDS_FETCH_ALLOW: elsewhere },
);

test('wrong keys: 503, the reason is logged, the keys are not', async () => {
  const s = await startServer({ ...store.env, AWS_SECRET_ACCESS_KEY: 'not-the-right-key' });
  try {
    assertUnavailable(await upload(s, await picture()));
    const logged = s.logs.join('\n');
    assert.match(logged, /s3:\/\/pictures\/calendar responded to PUT with 403 SignatureDoesNotMatch/);
    assert.doesNotMatch(logged, /not-the-right-key|AWS4-HMAC/);
  } finally {
    await s.close();
  }
});

test('no bucket: 503, not a missing picture', async () => {
  const files = filesAt(`${store.env.KALENDS_MEDIA_URL}`.replace('pictures', 'elsewhere'), {
    awsAccessKeyId: 'S3RVER',
    awsSecretAccessKey: 'S3RVER',
  });
  await assert.rejects(files.get(`${'a'.repeat(32)}.png`), /service-unavailable/);
  await assert.rejects(files.put(`${'a'.repeat(32)}.png`, Buffer.from('x')), /service-unavailable/);
});

test('a folder where none can be made: 503, at once', { timeout: 20_000 }, async () => {
  const files = filesAt('/proc/nowhere/pictures', { awsAccessKeyId: '', awsSecretAccessKey: '' });
  await assert.rejects(files.put(`${'a'.repeat(32)}.png`, Buffer.from('x')), /service-unavailable/);
  assert.equal(await files.get(`${'a'.repeat(32)}.png`), undefined);
});
