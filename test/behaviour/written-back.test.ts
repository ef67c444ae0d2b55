import assert from 'node:assert/strict';
import { test } from 'node:test';
import { behaviour, makeEvent, must } from '../support/rows.js';

/** Clients read a record, change one member and write all of it: what they did not touch must stay as it is. */
behaviour(
  'an event written back as it was read',
  async (s) => {
    for (const [name, given, member, shown] of [
      [
        'D12 times of sale',
        { tickets: [{ name: 'A', sale_starts: '2030-01-01 10:00', sale_ends: '2030-02-01T00:00:00+02:00' }] },
        'tickets',
        [{ name: 'A', provider: 'external', sale_starts: '2030-01-01 10:00:00', sale_ends: '2030-01-31 22:00:00' }],
      ],
      [
        'C3 an address with several parameters',
        { website: "https://x.example/?a=1&b=o'clock" },
        'website',
        'https://x.example/?a=1&amp;b=o&#039;clock',
      ],
      ['an apostrophe in the cost', { cost: "Children's ticket" }, 'cost', 'Children&#039;s ticket'],
    ] as const) {
      test(name, async () => {
        const made = await makeEvent(s, given);
        assert.deepEqual(made[member], shown);
        for (let times = 0; times < 2; times++) {
          const again = await must(
            s.ask('PATCH', `/events/${made.id}`, { as: 'admin', json: { [member]: made[member] } }),
            200,
          );
          assert.deepEqual(again[member], shown);
        }
      });
    }
  },
  { KALENDS_TIMEZONE: 'America/New_York' },
);

behaviour('the event above (A3)', async (s) => {
  const parent = await makeEvent(s, {});
  const child = await makeEvent(s, { post_parent: parent.id });
  const told = async (as?: 'admin' | 'author'): Promise<unknown> =>
    (await s.get(`/events/${child.id}`, undefined, as)).json.post_parent;
  const listed = async (): Promise<unknown> =>
    (await s.get('/events', { include: child.id })).json.events[0].post_parent;

  test('A3 E2 is told to those who may read it, asked again and again', async () => {
    for (const [status, anybody] of [
      ['publish', parent.id],
      ['draft', undefined],
      ['publish', parent.id],
      ['private', undefined],
    ] as const) {
      await must(s.ask('PATCH', `/events/${parent.id}`, { as: 'admin', json: { status } }), 200);
      for (let times = 0; times < 3; times++) {
        assert.equal(await told(), anybody, status);
        assert.equal(await listed(), anybody, status);
        assert.equal(await told('admin'), parent.id, status);
      }
    }
  });
});
