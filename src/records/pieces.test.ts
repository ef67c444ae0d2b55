import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Change } from '../db/changes.js';
import { Pieces } from './pieces.js';

test('a change takes the pieces of its record, under every address, and no others', () => {
  const pieces = new Pieces();
  const [here, there] = [pieces.of<string>('event', 'https://a'), pieces.of<string>('event', 'https://b')];
  const venue = pieces.of<string>('venue', 'https://a');
  here.set(1, 'one', 3);
  here.set(2, 'two', 3);
  there.set(1, 'eins', 4);
  venue.set(1, 'hall', 4);
  pieces.forget([{ kind: 'event', id: 1, day_before: null, day_after: null }]);
  assert.deepEqual([here.get(1), here.get(2), there.get(1), venue.get(1)], [undefined, 'two', undefined, 'hall']);
  pieces.forget([{ kind: 'image', id: 9, day_before: null, day_after: null }]);
  assert.equal(venue.get(1), undefined, 'whose picture it was is not known');
});

test('who works for an address that was forgotten meanwhile puts nothing on the shelf of another', () => {
  const pieces = new Pieces();
  const slow = pieces.of<string>('event', 'https://slow');
  // More addresses than are remembered. One of them would get the number of the first one if numbers were reused.
  for (let n = 0; n < 200; n++) {
    const shelf = pieces.of<string>('event', `https://${n}`);
    slow.set(1, 'links to https://slow', 20);
    assert.equal(shelf.get(1), undefined, String(n));
  }
});

test('events as lists show them go with their own changes, and all of them with those of anything that may show in them', () => {
  const pieces = new Pieces();
  const change = (kind: Change['kind']) => pieces.forget([{ kind, id: 1, day_before: null, day_after: null }]);
  const filled = () => {
    const shelf = pieces.of<string>('listed', 'https://a');
    shelf.set(1, 'one', 3);
    shelf.set(2, 'two', 3);
  };
  const seen = () => [1, 2].map((id) => pieces.of<string>('listed', 'https://a').get(id));
  filled();
  change('event');
  assert.deepEqual(seen(), [undefined, 'two']);
  for (const kind of ['venue', 'organizer', 'term', 'image'] as const) {
    filled();
    change(kind);
    assert.deepEqual(seen(), [undefined, undefined], kind);
  }
});
