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

test('an id is never that of another kind or place, however large it is, and however many places there were', () => {
  const pieces = new Pieces(new Ledger());
  const [events, venues] = [pieces.of<string>('event', 'https://a'), pieces.of<string>('venue', 'https://a')];
  venues.set(7, 'the venue', 9, []);
  for (const id of [7, 2 ** 32 + 7, 10 * 2 ** 32 + 7]) assert.equal(events.get(id), undefined, String(id));
  events.set(2 ** 32 + 7, 'the event', 9, []);
  assert.deepEqual([venues.get(7), events.get(2 ** 32 + 7)], ['the venue', 'the event']);
  // Beyond this number of places, ids that follow each other would be the same number.
  for (let n = 0; n < 215_000; n++) pieces.of('event', `https://${n}`);
  const last = pieces.of<string>('event', 'https://last');
  for (const id of [1, 2, 3]) last.set(id, String(id), 1, []);
  assert.deepEqual([last.get(1), last.get(2), last.get(3)], ['1', '2', '3']);
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
