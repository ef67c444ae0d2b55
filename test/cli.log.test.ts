import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { ended, folder, fresh, started } from './support/cli.js';
import { freePort } from './support/postgres.js';
import { eventually } from './support/rows.js';

/** The log of `kalends serve`, and whoever takes it or does not. */

interface Running {
  child: ChildProcess;
  /** Asks so many times, each with an address of about 400 bytes that is logged. */
  ask(times: number): Promise<void>;
  stopped(): Promise<number | null>;
}

/** A test that fails leaves its server behind. */
const children: ChildProcess[] = [];
after(() => children.forEach((child) => void child.kill('SIGKILL')));

async function serve(out: number | 'pipe', env: Record<string, string> = {}, ...args: string[]): Promise<Running> {
  const port = await freePort();
  const child = started(['serve', '--port', String(port), ...args], { KALENDS_DATA_DIR: fresh(), ...env }, out);
  children.push(child);
  const end = new Promise<number | null>((resolve) => child.on('exit', resolve));
  child.stderr?.resume();
  const one = (): Promise<number> =>
    fetch(`http://127.0.0.1:${port}/nothing?${'x'.repeat(400)}`, { signal: AbortSignal.timeout(5000) }).then(
      ({ status }) => status,
    );
  await eventually(async () => ((await one().catch(() => 0)) === 404 ? true : undefined));
  return {
    child,
    async ask(times) {
      for (let left = times; left > 0; left -= 10)
        assert.deepEqual(await Promise.all(Array.from({ length: 10 }, one)), Array(10).fill(404));
    },
    stopped() {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 8000);
      return end.finally(() => clearTimeout(late));
    },
  };
}

interface Line {
  msg: string;
  lines?: number;
}
const linesIn = (text: string): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const told = (lines: Line[], what: string): Line[] => lines.filter(({ msg }) => msg === what);

describe('the log', () => {
  for (const workers of ['1', '3']) {
    test(`a full disk: serving goes on, and ends (workers: ${workers})`, async () => {
      const running = await serve(openSync('/dev/full', 'w'), {}, '--workers', workers);
      await running.ask(50);
      assert.equal(await running.stopped(), 0);
    });

    test(`a reader who hangs: serving goes on, and ends (workers: ${workers})`, async () => {
      const running = await serve('pipe', {}, '--workers', workers);
      await running.ask(1500);
      assert.equal(await running.stopped(), 0);
      running.child.stdout?.destroy();
    });

    test(`a file: every line is there, and whole (workers: ${workers})`, async () => {
      const file = path.join(folder, `log${workers}`);
      const running = await serve(openSync(file, 'w'), {}, '--workers', workers);
      await running.ask(200);
      assert.equal(await running.stopped(), 0);
      const lines = linesIn(readFileSync(file, 'utf8'));
      assert.equal(told(lines, 'request').length, 201);
      assert.equal(lines.at(-1)?.msg, 'stopped');
    });
  }

  test('a reader who comes back is told how many lines are lacking', async () => {
    const running = await serve('pipe');
    await running.ask(3000);
    const end = ended(running.child);
    const { stdout } = running.child;
    await new Promise<void>((resolve) => {
      let last = '';
      stdout?.on('data', (chunk) => {
        last = (last + chunk).slice(-2000);
        if (last.includes('were dropped')) resolve();
      });
    });
    await running.ask(10);
    assert.equal(await running.stopped(), 0);
    const lines = linesIn((await end).out);
    const [{ lines: dropped = 0 } = {}, ...more] = told(lines, 'lines of the log were dropped');
    assert.ok(dropped > 0);
    assert.deepEqual(more, []);
    assert.equal(told(lines, 'request').length + dropped, 3011);
    assert.equal(lines.at(-1)?.msg, 'stopped');
  });

  for (const workers of ['1', '3'])
    test(`a pipe of the shell: every line is there, and whole; one that nobody reads holds up nobody (workers: ${workers})`, async () => {
      const [fifo, file] = [path.join(folder, `fifo${workers}`), path.join(folder, `piped${workers}`)];
      execFileSync('mkfifo', [fifo]);
      const hands = openSync(fifo, constants.O_RDWR);
      const reader = spawn('cat', [fifo], { stdio: ['ignore', openSync(file, 'w'), 'ignore'] });
      children.push(reader);
      const running = await serve(openSync(fifo, 'w'), {}, '--workers', workers);
      await running.ask(200);
      await eventually(async () =>
        told(linesIn(readFileSync(file, 'utf8').replace(/[^\n]*$/, '')), 'request').length === 201 ? true : undefined,
      );
      reader.kill('SIGSTOP');
      await running.ask(1500);
      assert.equal(await running.stopped(), 0);
      reader.kill('SIGKILL');
      closeSync(hands);
    });

  test('a reader who is gone: serving goes on, and ends', async () => {
    const running = await serve('pipe');
    running.child.stdout?.destroy();
    await running.ask(200);
    assert.equal(await running.stopped(), 0);
  });

  test('an error that ends the process does not end it before its lines are written', async () => {
    const crashing = `data:text/javascript,process.on('SIGUSR2',()=>{throw(Error('crash'))})`;
    const running = await serve('pipe', { NODE_OPTIONS: `--import=${crashing}` });
    const end = ended(running.child);
    await running.ask(50);
    running.child.kill('SIGUSR2');
    const { code, out } = await end;
    assert.equal(code, 1);
    assert.equal(told(linesIn(out), 'request').length, 51);
  });
});
