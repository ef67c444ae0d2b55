import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import fs, { mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import type { Change } from '../db/changes.js';
import { Ledger, thing } from './basis.js';
import { Overflow } from './overflow.js';
import { Pieces } from './pieces.js';
import type { Whole } from './rendered.js';

const folder = mkdtempSync(path.join(tmpdir(), 'kalends-overflow-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const whole = (id: number, length = 5000): Whole => ({
  bytes: Buffer.alloc(length, `${id} über `),
  digest: hash('sha1', String(id), 'buffer'),
  slug: `slug-${id}`,
  things: [thing('event', id), thing('venue', id % 10)],
});
/** What is read later is read now. */
const plain = (found: Whole | undefined): Whole | undefined =>
  found && { bytes: found.bytes, digest: found.digest, slug: found.slug, things: found.things };
const always = () => true;
const change = (kind: Change['kind'], id: number): Change => ({ kind, id, day_before: null, day_after: null });

test('what was written is read, the oldest is overwritten, and nothing half', () => {
  const overflow = new Overflow(folder, 1_000_000);
  let oldest = 0;
  for (let id = 1; id <= 1000; id++) {
    overflow.set(id, whole(id, 3000 + ((id * 37) % 4000)), 0);
    assert.deepEqual(readdirSync(folder), [], 'the file has no name');
    while (oldest < id && !overflow.get(oldest, always)) oldest++;
    for (let one = oldest; one <= id; one += 13) {
      assert.deepEqual(plain(overflow.get(one, always)), whole(one, 3000 + ((one * 37) % 4000)), `${one} of ${id}`);
    }
  }
  assert.ok(oldest > 700 && oldest < 900, `${1000 - oldest} events fit into a megabyte`);
  overflow.clear();
  assert.equal(overflow.get(1000, always), undefined);
  overflow.close();
});

test('what was written together is read together, in any order and across the end of the file', (t) => {
  const overflow = new Overflow(folder, 1_000_000);
  const ids = Array.from({ length: 1000 }, (_, n) => n + 1);
  for (const id of ids) overflow.set(id, whole(id, 3000 + ((id * 37) % 4000)), 0);
  const read = t.mock.method(fs, 'readSync');
  syncBuiltinESMExports();
  const isOdd = ({ things }: Pick<Whole, 'things'>): boolean => Number(things[0]?.split(' ')[1]) % 2 === 1;
  try {
    const kept = ids.filter((id) => overflow.get(id, always));
    // All lie one behind the other, and once the file begins anew between them.
    for (let from = 0; from < kept.length; from++) {
      const page = kept.slice(from, from + 10).sort((a, b) => ((a * 7) % 11) - ((b * 7) % 11));
      const before = read.mock.callCount();
      const expected = page.map((id) => whole(id, 3000 + ((id * 37) % 4000)));
      assert.deepEqual(overflow.all(page, always).map(plain), expected);
      assert.ok(read.mock.callCount() - before <= 2, 'one read, or one on each side of the end');
    }
    const [first = 0, second = 0, , fourth = 0] = kept;
    const slugs = overflow.all([fourth, 2000, first, second, first], always).map((one) => one?.slug);
    assert.deepEqual(slugs, [`slug-${fourth}`, undefined, `slug-${first}`, `slug-${second}`, `slug-${first}`]);
    const odd = overflow.all([first, second], isOdd).filter((one) => one !== undefined);
    assert.equal(odd.length, 1, 'each is judged by itself');
  } finally {
    read.mock.restore();
    syncBuiltinESMExports();
    overflow.close();
  }
});

test('when a record was found to be right is remembered, so that it is not judged by older changes again', () => {
  const overflow = new Overflow(folder);
  overflow.set(1, whole(1), 3);
  const seen: number[] = [];
  for (const now of [7, 9]) {
    overflow.get(1, (held) => {
      seen.push(held.rightAt);
      held.rightAt = now;
      return true;
    });
  }
  overflow.get(1, ({ rightAt }) => seen.push(rightAt) > 0);
  assert.deepEqual(seen, [3, 7, 9]);
  overflow.close();
});

test('an event that is built again and again comes from the file when memory has dropped it, until it changes', () => {
  const ledger = new Ledger();
  const overflow = new Overflow(folder);
  const shelf = new Pieces(ledger, overflow).wholes('alone', 'https://a');
  const ids = Array.from({ length: 3000 }, (_, n) => n + 1);
  const found = () => ids.filter((id) => shelf.get(id)).length;
  for (const id of ids) shelf.set(id, whole(id));
  const once = found();
  assert.ok(once < 2000, `${once} of what was built once: as many as memory holds`);
  for (const id of ids) shelf.set(id, whole(id));
  // Of some that share a place it is not remembered that they were built.
  const twice = found();
  assert.ok(twice > ids.length - 20, `${twice} of what was built twice`);
  assert.deepEqual(plain(shelf.get(1)), whole(1));
  ledger.forget([change('event', 1), change('venue', 3), change('venue', 99)]);
  assert.deepEqual([shelf.get(1), shelf.get(2)?.slug, shelf.get(3)], [undefined, 'slug-2', undefined]);
  const left = found();
  assert.ok(left <= twice - 1 - 280 && left >= twice - 1 - 300, `${left} do not show venue 3`);
  shelf.set(1, whole(1));
  assert.equal(shelf.get(1)?.slug, 'slug-1');
  ledger.clear();
  assert.equal(found(), 0);
  overflow.close();
});

test('what memory has room for is not written to the file, however often it is built', () => {
  let written = 0;
  class Counting extends Overflow {
    override set(...given: Parameters<Overflow['set']>): void {
      written++;
      super.set(...given);
    }
  }
  const ledger = new Ledger();
  const overflow = new Counting(folder);
  const shelf = new Pieces(ledger, overflow).wholes('alone', 'https://a');
  for (let n = 0; n < 20; n++) {
    shelf.set(1, whole(1));
    ledger.forget([change('event', 1)]);
    assert.equal(shelf.get(1), undefined);
  }
  assert.equal(written, 0);
  for (let id = 2; id <= 3000; id++) shelf.set(id, whole(id));
  shelf.set(1, whole(1));
  assert.equal(written, 1, 'once memory has lost it');
  overflow.close();
});

test('without a place for the file, memory alone must do', () => {
  const file = path.join(folder, 'a file');
  writeFileSync(file, '');
  const overflow = new Overflow(file);
  overflow.set(1, whole(1), 0);
  assert.equal(overflow.get(1, always), undefined);
  rmSync(file);
});

test('a file that cannot even be closed is not used any more, and fails nobody', (t) => {
  const overflow = new Overflow(folder);
  overflow.set(1, whole(1), 0);
  const close = t.mock.method(fs, 'closeSync', (file: number) => {
    close.mock.restore();
    fs.closeSync(file);
    throw new Error('EDQUOT');
  });
  syncBuiltinESMExports();
  overflow.close();
  syncBuiltinESMExports();
  overflow.set(2, whole(2), 0);
  assert.deepEqual([overflow.get(1, always), overflow.get(2, always)], [undefined, undefined]);
});

test('what is free is left to others: the file is not made, and given up', () => {
  const { bavail, bsize } = fs.statfsSync(folder);
  const most = (share: number): number => Math.floor(bavail * bsize * share);
  const large = new Overflow(folder, most(0.5));
  large.set(1, whole(1), 0);
  assert.equal(large.get(1, always), undefined);
  const fitting = new Overflow(folder, most(0.001));
  fitting.set(1, whole(1), 0);
  fitting.makeRoom();
  assert.deepEqual(plain(fitting.get(1, always)), whole(1));
  // As if others had filled the disk meanwhile.
  Object.assign(fitting, { mostBytes: most(0.5) });
  fitting.makeRoom();
  assert.equal(fitting.get(1, always), undefined);
  large.close();
});

test('on a full disk, memory alone must do', { skip: process.platform !== 'linux' && 'needs /dev/full' }, () => {
  const overflow = new Overflow(folder);
  overflow.set(1, whole(1), 0);
  // What the process has open is replaced by a device that is always full.
  Object.assign(overflow, { file: openSync('/dev/full', 'r+') });
  overflow.set(2, whole(2), 0);
  assert.deepEqual([overflow.get(1, always), overflow.get(2, always)], [undefined, undefined]);
});
