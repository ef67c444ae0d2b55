import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { behaviour, eventually, must, newEvent, rows, unique } from '../support/rows.js';
import type { RoleName } from '../support/server.js';

const KINDS: Record<string, (more: object) => object> = {
  events: (more) => newEvent({ ...more }),
  venues: (more) => ({ venue: unique('Venue'), ...more }),
  organizers: (more) => ({ organizer: unique('Organizer'), ...more }),
};
const inSeconds = (n: number): number => Math.floor(Date.now() / 1000) + n;
const AHEAD = '2099-01-01 00:00:00';
const BEHIND = '2020-01-01 00:00:00';

behaviour('publishing (D10, D11)', async (s) => {
  for (const [plural, body] of Object.entries(KINDS)) {
    describe(`statuses of ${plural} (D10)`, () => {
      /** Role, status asked for, status that comes of it. */
      const scaled: [RoleName, string | undefined, string][] = [
        ...(['admin', 'editor', 'author'] as const).flatMap((as): [RoleName, string | undefined, string][] => [
          [as, undefined, 'publish'],
          [as, 'publish', 'publish'],
          [as, 'future', 'publish'],
          [as, 'draft', 'draft'],
          [as, 'pending', 'pending'],
          [as, 'private', 'private'],
          [as, 'trash', 'trash'],
        ]),
        ['contributor', undefined, 'draft'],
        ['contributor', 'publish', 'pending'],
        ['contributor', 'future', 'pending'],
        ['contributor', 'draft', 'draft'],
        ['contributor', 'pending', 'pending'],
        ['contributor', 'private', 'pending'],
        ['contributor', 'trash', 'trash'],
      ];
      rows(s, [
        ...scaled.map(([as, status, got]) => ({
          name: `D10 ${as} asks for ${status ?? 'nothing'} and gets ${got}`,
          ask: `POST /${plural}`,
          as,
          json: body(status === undefined ? {} : { status }),
          status: 201,
          shows: { status: got, author: String(s.users[as].id) },
        })),
        {
          name: 'E1 anonymous may not create',
          ask: `POST /${plural}`,
          json: body({}),
          status: 401,
          code: 'rest_forbidden',
        },
        {
          name: 'E1 a subscriber may not create',
          ask: `POST /${plural}`,
          as: 'subscriber',
          json: body({}),
          status: 403,
          code: 'rest_forbidden',
        },
        {
          name: 'D10 publish in the time to come is future',
          ask: `POST /${plural}`,
          as: 'author',
          json: body({ date: AHEAD }),
          status: 201,
          shows: { status: 'future', date: AHEAD },
        },
        {
          name: 'D10 future in the past is publish',
          ask: `POST /${plural}`,
          as: 'author',
          json: body({ status: 'future', date: BEHIND }),
          status: 201,
          shows: { status: 'publish' },
        },
        {
          name: 'D10 a draft with a date to come is a draft',
          ask: `POST /${plural}`,
          as: 'author',
          json: body({ status: 'draft', date: AHEAD }),
          status: 201,
          shows: { status: 'draft' },
        },
        {
          name: "D10 a contributor's date to come waits for review",
          ask: `POST /${plural}`,
          as: 'contributor',
          json: body({ status: 'publish', date: AHEAD }),
          status: 201,
          shows: { status: 'pending' },
        },
      ]);
      test('D10 the date alone moves a record between publish and future', async () => {
        const { id } = await must(s.post(`/${plural}`, body({}), 'author'));
        assert.equal((await must(s.patch(`/${plural}/${id}`, { date: AHEAD }, 'author'), 200)).status, 'future');
        assert.equal((await must(s.patch(`/${plural}/${id}`, { date: BEHIND }, 'author'), 200)).status, 'publish');
      });
      test("D10 a contributor's own draft: an edit leaves it, publish makes it pending", async () => {
        const { id } = await must(s.post(`/${plural}`, body({}), 'contributor'));
        assert.equal(
          (await must(s.patch(`/${plural}/${id}`, { description: 'x' }, 'contributor'), 200)).status,
          'draft',
        );
        assert.equal(
          (await must(s.patch(`/${plural}/${id}`, { status: 'publish' }, 'contributor'), 200)).status,
          'pending',
        );
        await must(s.patch(`/${plural}/${id}`, { status: 'publish' }, 'editor'), 200);
        assert.equal((await s.patch(`/${plural}/${id}`, { description: 'y' }, 'contributor')).status, 403);
      });
      test('D10 what is scheduled is published by itself, and then seen by all', async () => {
        const made = await must(s.post(`/${plural}`, body({ date_utc: inSeconds(2) }), 'author'));
        assert.equal(made.status, 'future');
        assert.equal((await s.get(`/${plural}/${made.id}`)).status, 403);
        const seen = await eventually(async () => {
          const reply = await s.get(`/${plural}/${made.id}`);
          return reply.status === 200 ? reply.json : undefined;
        });
        assert.equal(seen.status, 'publish');
        assert.ok(Date.now() >= Date.parse(`${made.date_utc.replace(' ', 'T')}Z`), 'not before its time');
        assert.deepEqual([seen.date_utc, seen.slug], [made.date_utc, made.slug]);
        assert.equal((await must(s.get(`/${plural}/by-slug/${seen.slug}`), 200)).id, made.id);
      });
    });

    describe(`author of ${plural} (D11)`, async () => {
      const own = await must(s.post(`/${plural}`, body({ status: 'draft' }), 'author'));
      const other = s.users.editor.id;
      const at = `PATCH /${plural}/${own.id}`;
      rows(s, [
        {
          name: 'D11 an author names another',
          ask: `POST /${plural}`,
          as: 'author',
          json: body({ author: other }),
          status: 403,
          code: 'rest_forbidden',
        },
        {
          name: 'D11 a contributor names another',
          ask: `POST /${plural}`,
          as: 'contributor',
          json: body({ author: other }),
          status: 403,
          code: 'rest_forbidden',
        },
        {
          name: 'D11 an author names itself',
          ask: `POST /${plural}`,
          as: 'author',
          json: body({ author: s.users.author.id }),
          status: 201,
        },
        {
          name: 'D11 an editor names another',
          ask: `POST /${plural}`,
          as: 'editor',
          json: body({ author: s.users.subscriber.id }),
          status: 201,
          shows: { author: String(s.users.subscriber.id) },
        },
        {
          name: 'D11 an author gives a record away',
          ask: at,
          as: 'author',
          json: { author: other },
          status: 403,
          code: 'rest_forbidden',
        },
        {
          name: 'D11 naming the present author is no change',
          ask: at,
          as: 'author',
          json: { author: s.users.author.id },
          status: 200,
        },
        {
          name: 'D11 an editor may',
          ask: at,
          as: 'editor',
          json: { author: s.users.contributor.id },
          status: 200,
          shows: { author: String(s.users.contributor.id) },
        },
        {
          name: "E1 then it is no longer the first one's",
          ask: at,
          as: 'author',
          json: { description: 'x' },
          status: 403,
          code: 'rest_forbidden',
        },
      ]);
    });
  }
});
