import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import type { Files } from '../src/media/files.js';
import { filesAt } from '../src/media/open.js';
import { picture, upload } from './security/support.js';
import { fresh, inProcess } from './support/cli.js';
import { must } from './support/rows.js';
import { startObjectStore } from './support/s3.js';
import { startServer } from './support/server.js';

/** `kalends check`, `media copy` and `media sweep`, on a folder and on an object store. */

const store = await startObjectStore();
after(() => store.close());
const KEYS = { awsAccessKeyId: 'S3RVER', awsSecretAccessKey: 'S3RVER' };

async function contents(files: Files): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const { name } of files.list()) {
    const file = await files.get(name);
    if (file) found.set(name, Buffer.concat(await file.body.toArray()).toString('base64'));
  }
  return new Map([...found].sort());
}

/** Everything below a folder becomes two hours old. */
function age(folder: string): void {
  const then = Math.floor(performance.timeOrigin / 1000) - 7200;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) utimesSync(path.join(entry.parentPath ?? entry.path, entry.name), then, then);
}

for (const [kind, place] of [
  ['a folder', {}],
  ['an object store', store.env],
] as const) {
  test(`in ${kind}, check finds what is missing or cut and counts what is left over; sweep removes that`, async () => {
    const s = await startServer(place);
    try {
      const env = { KALENDS_DATA_DIR: s.config.dataDir, DATABASE_URL: s.config.databaseUrl, ...place };
      const check = async (code: number) => {
        const result = await inProcess(['check', '--json'], env);
        assert.equal(result.code, code, result.out + result.err);
        return JSON.parse(result.out);
      };
      const files = filesAt(s.config.mediaUrl, s.config);
      const folder = kind === 'a folder' ? path.join(s.config.dataDir, 'media') : store.folder;
      const [kept, lost, cut] = await Promise.all([1, 2, 3].map(async () => must(upload(s, await picture(200, 100)))));
      const nameOf = (made: typeof kept): string => made?.url.split('/').at(-1);
      assert.deepEqual((await check(0)).problems, []);

      const stray = `${'e'.repeat(32)}.png`;
      await files.put(stray, await picture());
      assert.equal((await check(0)).strays, 0, 'it may be an upload that is going on');
      age(folder);
      assert.equal((await check(0)).strays, 1);
      const people = await inProcess(['check'], env);
      assert.match(people.out, /1 image file without a record.*kalends media sweep.*No problems found/s);
      const swept = await inProcess(['media', 'sweep'], env);
      assert.match(swept.out, /^Deleted 1 file from /);
      assert.equal((await check(0)).strays, 0);
      assert.ok((await contents(files)).has(nameOf(kept)), 'what a record names is kept');

      await files.remove(nameOf(lost));
      await files.put(nameOf(cut), Buffer.from('half'));
      const { problems } = await check(3);
      assert.equal(problems.length, 2, problems.join('\n'));
      assert.match(problems.join('\n'), new RegExp(`image \\d+: ${nameOf(lost)} is missing in `));
      assert.match(problems.join('\n'), new RegExp(`image \\d+: ${nameOf(cut)} has 4 of \\d+ bytes in `));

      await files.put(stray, await picture());
      age(folder);
      const refused = await inProcess(['media', 'sweep'], env);
      assert.equal(refused.code, 1);
      assert.match(
        refused.err,
        /may not be the database of .*some of its images have no files there.*Nothing was deleted/,
      );
      assert.ok((await contents(files)).has(stray));
      assert.match((await inProcess(['media', 'sweep', '--force'], env)).out, /^Deleted 1 file from /);
      const other = await startServer();
      const wrong = { ...env, KALENDS_DATA_DIR: other.config.dataDir, DATABASE_URL: other.config.databaseUrl };
      const there: Record<string, string> = kind === 'a folder' ? { KALENDS_MEDIA_URL: folder } : {};
      const foreign = await inProcess(['media', 'sweep'], { ...wrong, ...there });
      assert.match(foreign.err, /none of the files there belongs to its images/);
      assert.ok((await contents(files)).has(nameOf(kept)));
      await other.close();
    } finally {
      await s.close();
    }
  });
}

test('check says when the store cannot be reached, without a stack trace', async () => {
  const s = await startServer();
  try {
    const env = { KALENDS_DATA_DIR: s.config.dataDir, DATABASE_URL: s.config.databaseUrl, ...store.env };
    await store.disturb('down');
    const result = await inProcess(['check'], env);
    assert.equal(result.code, 1, 'nothing is known to be damaged');
    assert.match(result.out, /^The images in s3:\/\/pictures\/calendar cannot be reached: .+/);
    assert.match(result.err, /^Not everything could be checked\./);
    const { ok, problems, unseen } = JSON.parse((await inProcess(['check', '--json'], env)).out);
    assert.deepEqual([ok, problems, unseen.length], [false, [], 1]);
  } finally {
    await store.disturb('good');
    await s.close();
  }
});

test('copy moves pictures from a folder to an object store and back, and goes on where it was interrupted', async () => {
  const [from, back] = [fresh(), fresh()];
  mkdirSync(from);
  const s3 = await startObjectStore({ prefix: 'moved/here' });
  try {
    const folder = filesAt(from, KEYS);
    for (let n = 0; n < 20; n++) await folder.put(`${n.toString(16).padStart(32, '0')}.png`, await picture(20 + n, 10));
    const to = s3.env.KALENDS_MEDIA_URL ?? '';
    const copy = async (...args: string[]) => {
      const { code, out, err } = await inProcess(['media', 'copy', '--json', ...args], s3.env);
      assert.equal(code, 0, out + err);
      const { copied, present } = JSON.parse(out);
      return { copied, present };
    };
    assert.deepEqual(await copy('--from', from, '--to', to), { copied: 20, present: 0 });
    assert.deepEqual(await copy('--from', from, '--to', to), { copied: 0, present: 20 });
    const bucket = filesAt(to, KEYS);
    await bucket.remove(`${'0'.repeat(32)}.png`);
    assert.deepEqual(await copy('--from', from, '--to', to), { copied: 1, present: 19 });
    const name = `${'0'.repeat(31)}1.png`;
    await bucket.put(name, Buffer.from('damaged'));
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      const damaged = await inProcess(['media', 'copy', '--from', one, '--to', other], s3.env);
      assert.equal(damaged.code, 1);
      assert.match(damaged.out, /^Copied 0 files .* 19 already existed\.$/);
      assert.match(
        damaged.err,
        new RegExp(`^00/${name} differs\\.\n1 file has one size in .* Neither was replaced\\.`),
      );
    }
    assert.equal((await contents(bucket)).get(name), Buffer.from('damaged').toString('base64'));
    await bucket.remove(name);
    assert.deepEqual(await copy('--from', from, '--to', to), { copied: 1, present: 19 });
    // Without --from: where the pictures of this site lie.
    assert.deepEqual(await copy('--to', `file:${back}`), { copied: 20, present: 0 });
    assert.deepEqual(await contents(filesAt(back, KEYS)), await contents(folder));

    const failed = await inProcess(
      ['media', 'copy', '--from', from, '--to', to.replace('pictures', 'nowhere')],
      s3.env,
    );
    assert.equal(failed.code, 1);
    assert.match(failed.err, /^s3:\/\/nowhere\/moved\/here responded to GET with 404 NoSuchBucket$/);
    const mistyped = await inProcess(['media', 'copy', '--from', `${from}x`, '--to', to], s3.env);
    assert.deepEqual([mistyped.code, mistyped.err], [1, `There is no folder ${from}x.`]);
    const elsewhere = await inProcess(['media', 'copy', '--to', to], {
      ...s3.env,
      KALENDS_MEDIA_URL: '',
      KALENDS_DATA_DIR: `${from}y`,
    });
    assert.deepEqual([elsewhere.code, elsewhere.err], [1, `There is no folder ${from}y.`]);
    for (const [args, says] of [
      [['--to', to, '--from', to], /Source and target are both/],
      [['--to', 'ftp://x'], /--to names a kind of storage that is not supported/],
      [[], /--to is missing/],
    ] as const) {
      const { code, err } = await inProcess(['media', 'copy', ...args], s3.env);
      assert.equal(code, 2);
      assert.match(err, says);
    }
    for (const args of [
      ['--to', to, '--from', from],
      ['--from', to, '--to', from],
    ]) {
      const { code, err } = await inProcess(['media', 'copy', ...args]);
      assert.equal(code, 2);
      const option = args[args.indexOf(to) - 1];
      assert.match(err, new RegExp(`^${option} names an object store, which needs keys\\. Set AWS_ACCESS_KEY_ID and`));
    }
  } finally {
    await s3.close();
  }
});
