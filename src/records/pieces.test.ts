import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Change } from '../db/changes.js';
import { Ledger, thing } from './basis.js';
import { Pieces } from './pieces.js';
import type { Whole } from './rendered.js';

const change = (kind: Change['kind'], id: number): Change => ({ kind, id, day_before: null, day_after: null });
const VENUES = [1, 2].map((id) => [thing('venue', id)]);

test('a change takes the pieces of its record, under every address, and no others', () => {
  const ledger = new Ledger();
  const pieces = new Pieces(ledger);
  const [here, there] = [pieces.of<string>('venue', 'https://a'), pieces.of<string>('venue', 'https://b')];
  const organizer = pieces.of<string>('organizer', 'https://a');
  here.set(1, 'one', 3, VENUES[0] ?? []);
  here.set(2, 'two', 3, VENUES[1] ?? []);
  there.set(1, 'eins', 4, VENUES[0] ?? []);
  organizer.set(1, 'club', 4, [thing('organizer', 1)]);
  ledger.forget([change('venue', 1)]);
  assert.deepEqual([here.get(1), here.get(2), there.get(1), organizer.get(1)], [undefined, 'two', undefined, 'club']);
  ledger.forget([change('image', 9)]);
  assert.equal(organizer.get(1), undefined, 'whose picture it was is not known');
});

test('who works for an address that was forgotten meanwhile puts nothing on the shelf of another', () => {
  const pieces = new Pieces(new Ledger());
  const slow = pieces.of<string>('venue', 'https://slow');
  // More addresses than are remembered. One of them would get the number of the first one if numbers were reused.
  for (let n = 0; n < 200; n++) {
    const shelf = pieces.of<string>('venue', `https://${n}`);
    slow.set(1, 'links to https://slow', 20, []);
    assert.equal(shelf.get(1), undefined, String(n));
  }
});

test('whole events go with their own changes, and with those of what they show, and of nothing else', () => {
  const ledger = new Ledger();
  const pieces = new Pieces(ledger);
  const whole = (id: number, venue: number): Whole => ({
    bytes: Buffer.from(`event ${id}`),
    digest: Buffer.from('digest'),
    slug: `event-${id}`,
    things: [thing('event', id), thing('venue', venue), thing('organizer', 7), thing('term', 8)],
  });
  for (const kind of ['listed', 'alone'] as const) {
    const shelf = pieces.wholes(kind, 'https://a');
    const filled = () => {
      shelf.set(1, whole(1, 5));
      shelf.set(2, whole(2, 6));
    };
    const seen = () => [1, 2].map((id) => shelf.get(id)?.slug);
    for (const [changed, left] of [
      [change('event', 1), [undefined, 'event-2']],
      [change('venue', 6), ['event-1', undefined]],
      [change('organizer', 7), [undefined, undefined]],
      [change('term', 8), [undefined, undefined]],
      [change('image', 9), [undefined, undefined]],
      [change('venue', 99), ['event-1', 'event-2']],
    ] as const) {
      filled();
      ledger.forget([changed]);
      assert.deepEqual(seen(), left, `${kind}, ${thing(changed.kind, changed.id)}`);
    }
  }
});
