import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { type Client, type Event, KalendsError } from '../src/client/client.js';

describe('the files', () => {
  const folder = 'src/client';
  const files = readdirSync(folder);

  test('the types are those of the document', () => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/client.mjs', '--check'], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  });

  test('nothing is imported from outside of the folder', () => {
    assert.ok(files.length > 4);
    for (const file of files) {
      const text = readFileSync(path.join(folder, file), 'utf8');
      for (const [, from] of text.matchAll(/\bfrom '([^']+)'/g)) assert.match(from ?? '', /^\.\/[a-z]+\.js$/, file);
      assert.doesNotMatch(text, /\b(Buffer|process|require)\b[.(]/, file);
    }
  });

  test('it compiles for browsers, where there are no types of Node', async () => {
    const { default: ts } = await import('typescript');
    const program = ts.createProgram([path.join(folder, 'client.ts')], {
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      types: [],
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      exactOptionalPropertyTypes: true,
    });
    const problems = ts
      .getPreEmitDiagnostics(program)
      .map((one) => ts.flattenDiagnosticMessageText(one.messageText, '\n'));
    assert.deepEqual(problems, []);
  });
});

/** Never run: the compiler checks these lines (`npm run types`). */
export async function typed(client: Client): Promise<void> {
  const event: Event = await client.events.get(1);
  const [venue] = [event.venue].flat();
  const city: string | undefined = venue?.city;
  await client.events.update(1, { title: city ?? '', start_date: new Date() });
  await client.venues.list({ has_events: true });
  for await (const term of client.categories.all({ parent: 0 })) term.slug.trim();
  // @ts-expect-error a title is needed
  await client.events.create({ start_date: '2031-01-01', end_date: '2031-01-02' });
  // @ts-expect-error there is no such filter
  await client.events.list({ colour: 'red' });
  // @ts-expect-error a Date is for dates only
  await client.events.list({ search: new Date() });
  // @ts-expect-error categories have no address by slug
  await client.categories.get({ slug: 'music' });
  // @ts-expect-error venues have no password
  await client.venues.get(1, { password: 'lantern' });
  // @ts-expect-error a title is a text
  event.title.toFixed();
  const error = new KalendsError(404, {});
  // Known codes are suggested, others allowed.
  if (error.code === 'rest-event-not-found' || error.code === 'code-of-another-server') return;
  // @ts-expect-error the status is a number
  error.status.trim();
}
