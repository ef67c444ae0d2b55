import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

/** The output of a process that starts as ours does. */
function printed(code: string): string {
  const heap = `const heap = await import(${JSON.stringify(new URL('./heap.js', import.meta.url).href)});`;
  const flags = ['--expose-gc', '--allow-natives-syntax', '--input-type=module', '--eval', heap + code];
  return execFileSync(process.execPath, flags, { encoding: 'utf8' }).trim();
}

test('what is held keeps the shape of ticks, whatever is collected', () => {
  const code = `
    import { executionAsyncResource } from 'node:async_hooks';
    for (let times = 0; times < 4; times++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      gc();
    }
    process.nextTick(() => console.log(heap.oneTick !== undefined && %HaveSameMap(heap.oneTick, executionAsyncResource())));`;
  assert.equal(printed(code), 'true');
});

test('small buffers that are kept hold little more than themselves', () => {
  const bytes = printed(`
    const kept = [];
    for (let n = 0; n < 100_000; n++) {
      const made = Buffer.from('x'.repeat(200));
      if (n % 500 === 0) kept.push(made);
    }
    gc();
    console.log(process.memoryUsage().arrayBuffers + 0 * kept.length);`);
  assert.ok(Number(bytes) < 5_000_000, `200 buffers of 200 bytes hold ${bytes}`);
});

for (const [what, share, expected] of [
  ['a busy process makes room for the young generation', 0.5, 'true'],
  ['an idle one does not', 0, 'false'],
] as const)
  test(what, () => {
    const code = `
      import { getHeapSpaceStatistics } from 'node:v8';
      const room = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size;
      if (room() >= 4 << 20) throw new Error('it begins with ' + room());
      for (let turn = 0; turn < 250; turn++) {
        for (const until = performance.now() + 10 * ${share}; performance.now() < until; );
        await new Promise((resolve) => setTimeout(resolve, 10 - 10 * ${share}));
      }
      console.log(room() >= 4 << 20 && room() <= 8 << 20);`;
    assert.equal(printed(code), expected);
  });
