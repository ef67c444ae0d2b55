import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

test('what is held keeps the shape of ticks, whatever is collected', () => {
  const code = `
    import { executionAsyncResource } from 'node:async_hooks';
    const heap = await import(${JSON.stringify(new URL('./heap.js', import.meta.url).href)});
    for (let times = 0; times < 4; times++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      gc();
    }
    process.nextTick(() => console.log(heap.oneTick !== undefined && %HaveSameMap(heap.oneTick, executionAsyncResource())));`;
  const flags = ['--expose-gc', '--allow-natives-syntax', '--input-type=module', '--eval', code];
  assert.equal(execFileSync(process.execPath, flags, { encoding: 'utf8' }).trim(), 'true');
});
