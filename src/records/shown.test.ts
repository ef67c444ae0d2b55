import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { Change } from '../db/changes.js';
import { Ledger, thing } from './basis.js';
import type { Context } from './context.js';
import { Pieces } from './pieces.js';
import { shownRecords } from './shown.js';

describe('records as lists of their kind show them', () => {
  let ledger: Ledger;
  let pieces: Pieces;
  let asked: string[];
  let holds: boolean;
  beforeEach(() => {
    ledger = new Ledger();
    pieces = new Pieces(ledger);
    asked = [];
    holds = true;
  });

  const changed = (id: number): Change => ({ kind: 'venue', id, day_before: null, day_after: null });
  async function shown(ids: number[], about: object = {}): Promise<unknown> {
    const kept = { pieces, current: { holds: () => holds } };
    const context = { kept, caller: {}, given: {}, address: { api: 'https://a' }, ...about } as unknown as Context;
    const records = await shownRecords(
      context,
      { ids, total: ids.length },
      {
        kind: 'venue record',
        rows: async (missing) => {
          asked.push(`rows ${missing}`);
          // A database may return rows in any order, and not all of them.
          return missing
            .filter((id) => id < 100)
            .map((id) => ({ id }))
            .sort((a, b) => a.id - b.id);
        },
        view: async (rows) => {
          asked.push(`view ${rows.map(({ id }) => id)}`);
          return ({ id }) => ({ id, name: `Hall ${id}`, api: context.address.api });
        },
        things: (id) => [thing('venue', id)],
      },
    );
    return JSON.parse(JSON.stringify(records)).map(({ name, api }: { name: string; api: string }) => `${name} ${api}`);
  }

  test('in the order of the page, and read once for everybody', async () => {
    assert.deepEqual(await shown([5, 3, 100, 9]), ['Hall 5 https://a', 'Hall 3 https://a', 'Hall 9 https://a']);
    assert.deepEqual(asked, ['rows 5,3,100,9', 'view 3,5,9']);
    asked.length = 0;
    assert.deepEqual(await shown([9, 4, 5]), ['Hall 9 https://a', 'Hall 4 https://a', 'Hall 5 https://a']);
    assert.deepEqual(asked, ['rows 4', 'view 4']);
    asked.length = 0;
    assert.deepEqual(await shown([5], { address: { api: 'https://b' } }), ['Hall 5 https://b']);
    assert.deepEqual(asked, ['rows 5', 'view 5']);
  });

  test('again once it has changed, and not kept if it may be outdated', async () => {
    await shown([5, 3]);
    ledger.forget([changed(3), changed(7)]);
    asked.length = 0;
    holds = false;
    await shown([5, 3]);
    assert.deepEqual(asked, ['rows 3', 'view 3']);
    holds = true;
    await shown([5, 3]);
    assert.deepEqual(asked.slice(2), ['rows 3', 'view 3']);
  });

  test('neither for those who may see more, nor in another form', async () => {
    const user = { id: 1, username: 'ada', role: 'editor' };
    for (const about of [{ caller: { user } }, { given: { context: 'embed' } }, { given: { context: 'edit' } }]) {
      await shown([5]);
      asked.length = 0;
      await shown([5], about);
      assert.deepEqual(asked, ['rows 5', 'view 5'], JSON.stringify(about));
    }
  });
});
