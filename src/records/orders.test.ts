import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { Change } from '../db/changes.js';
import { Orders, pageInOrder, pageRead } from './orders.js';

const change = (kind: Change['kind']): Change => ({ kind, id: 1, day_before: null, day_after: null });

describe('pages of what is kept in order', () => {
  let orders: Orders;
  let asked: string[];
  let stored: number[];
  let holds: boolean;
  beforeEach(() => {
    orders = new Orders();
    asked = [];
    stored = [5, 3, 9, 1];
    holds = true;
  });

  const ask = (page: number, question = 'all', kinds: Change['kind'][] = ['venue']) =>
    pageInOrder(
      { orders, current: { holds: () => holds } },
      question,
      kinds,
      { perPage: 3, skip: (page - 1) * 3 },
      {
        direct: async () => {
          asked.push('direct');
          return pageRead(
            stored.slice((page - 1) * 3, page * 3).map((id) => ({ id })),
            stored.length,
          );
        },
        ordered: async () => {
          asked.push('ordered');
          return stored.map((id) => ({ id }));
        },
      },
    );
  const first = { ids: [5, 3, 9], total: 4 };

  test('the first time from the indexes, then from memory; every page has the same total', async () => {
    assert.deepEqual(await ask(1), { ...first, rows: [{ id: 5 }, { id: 3 }, { id: 9 }] });
    assert.deepEqual(await ask(1), first);
    assert.deepEqual(await ask(2), { ids: [1], total: 4 });
    assert.deepEqual(await ask(3), { ids: [], total: 4 });
    assert.deepEqual(asked, ['direct', 'ordered']);
  });

  test('what has a say makes it again, anything else does not', async () => {
    await ask(1);
    await ask(1);
    asked.length = 0;
    orders.forget([change('event'), change('term')]);
    await ask(1);
    assert.deepEqual(asked, []);
    stored.unshift(7);
    orders.forget([change('venue')]);
    assert.deepEqual((await ask(1)).ids, [7, 5, 3]);
    assert.deepEqual(asked, ['ordered']);
    orders.clear();
    await ask(1);
    assert.deepEqual(asked, ['ordered', 'ordered']);
  });

  test('what was read before a change is not kept', async () => {
    await ask(1);
    holds = false;
    await ask(1);
    holds = true;
    await ask(1);
    assert.equal(asked.filter((one) => one === 'ordered').length, 2);
  });

  test('what takes most of the room is left to the indexes', async () => {
    stored = Array.from({ length: 500_000 }, (_, n) => n + 1);
    for (let n = 0; n < 3; n++) assert.equal((await ask(1)).total, 500_000);
    assert.deepEqual(
      asked.filter((one) => !one.startsWith('rows')),
      ['direct', 'ordered', 'direct'],
    );
  });

  test('other questions have other answers', async () => {
    await ask(1);
    await ask(1, 'others');
    assert.deepEqual(asked, ['direct', 'direct']);
  });
});
