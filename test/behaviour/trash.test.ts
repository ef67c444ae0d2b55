import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { behaviour, makeEvent, must, newEvent, rows, unique } from '../support/rows.js';

behaviour('trash, restore, removal and addresses (D14, D16, A11)', async (s) => {
  const event = await makeEvent(s);
  const venue = await must(s.post('/venues', { venue: unique('V') }, 'admin'));
  const organizer = await must(s.post('/organizers', { organizer: unique('O') }, 'admin'));
  const category = await must(s.post('/categories', { name: unique('C') }, 'admin'));
  const tag = await must(s.post('/tags', { name: unique('T') }, 'admin'));

  describe('records that are not there (A11)', () => {
    const codes = {
      events: 'rest-event-not-found',
      venues: 'venue-not-found',
      organizers: 'organizer-not-found',
      categories: 'term-not-found',
      tags: 'term-not-found',
    };
    const others: Record<string, number> = {
      events: venue.id,
      venues: organizer.id,
      organizers: event.id,
      categories: tag.id,
      tags: category.id,
    };
    for (const [plural, code] of Object.entries(codes)) {
      const missing = { status: 404, code };
      const forms = [
        `${plural}/999999`,
        `${plural}/0`,
        `${plural}/${others[plural]}`,
        `${plural}/99999999999999999999`,
      ];
      if (code !== 'term-not-found') forms.push(`${plural}/by-slug/no-such-thing`);
      rows(
        s,
        forms.flatMap((at) => [
          { ...missing, name: `A11 GET ${at}`, ask: `GET /${at}` },
          { ...missing, name: `A11 PATCH ${at}`, ask: `PATCH /${at}`, as: 'admin' as const, json: {} },
          { ...missing, name: `A11 DELETE ${at}`, ask: `DELETE /${at}`, as: 'admin' as const },
          { name: `A3 anonymous PATCH ${at}`, ask: `PATCH /${at}`, json: {}, status: 401, code: 'rest_forbidden' },
          {
            name: `A3 subscriber DELETE ${at}`,
            ask: `DELETE /${at}`,
            as: 'subscriber' as const,
            status: 403,
            code: 'rest_forbidden',
          },
        ]),
      );
    }
  });

  const kinds = {
    events: { body: newEvent, inTrash: 'event-is-in-trash' },
    venues: { body: () => ({ venue: unique('Venue') }), inTrash: 'venue-is-in-trash' },
    organizers: { body: () => ({ organizer: unique('Organizer') }), inTrash: 'organizer-is-in-trash' },
  };
  for (const [plural, { body, inTrash }] of Object.entries(kinds)) {
    describe(plural, () => {
      const make = (more: object = {}) => must(s.post(`/${plural}`, { ...body(), ...more }, 'admin'));
      const kept = ({
        status,
        slug,
        url,
        website,
        modified,
        modified_utc,
        json_ld,
        ...rest
      }: Record<string, unknown>) => rest;

      test('D14 DELETE moves to the trash: status, slug, address; nothing else changes', async () => {
        const record = await make();
        const gone = await must(s.del(`/${plural}/${record.id}`, 'admin'), 200);
        assert.deepEqual([gone.status, gone.slug], ['trash', `${record.slug}__trashed`]);
        assert.match(gone.url, /\?post_type=tribe_\w+&p=\d+$/);
        assert.deepEqual(kept(gone), kept(record));
      });
      test('D14 a second time, by id or by its slug in the trash, is 410', async () => {
        const { id } = await make();
        const { slug } = await must(s.del(`/${plural}/${id}`, 'admin'), 200);
        for (const at of [`/${plural}/${id}`, `/${plural}/by-slug/${slug}`]) {
          const again = await s.del(at, 'admin');
          assert.deepEqual([again.status, again.json.code], [410, inTrash], at);
        }
      });
      test('D14 by slug too; the old slug is then unknown', async () => {
        const { id, slug } = await make();
        assert.equal((await must(s.del(`/${plural}/by-slug/${slug}`, 'admin'), 200)).id, id);
        assert.equal((await s.del(`/${plural}/by-slug/${slug}`, 'admin')).status, 404);
      });
      test('D14 an update without status of what is in the trash is 410, and changes nothing', async () => {
        const { id } = await make({ description: 'Before' });
        await must(s.del(`/${plural}/${id}`, 'admin'), 200);
        for (const json of [{}, { description: 'After' }]) {
          const reply = await s.patch(`/${plural}/${id}`, json, 'admin');
          assert.deepEqual([reply.status, reply.json.code], [410, inTrash]);
        }
        const back = await must(s.patch(`/${plural}/${id}`, { status: 'publish' }, 'admin'), 200);
        assert.equal(back.description, '<p>Before</p>');
      });
      for (const status of ['publish', 'draft', 'private']) {
        test(`D14 an update with status ${status} restores, with the former slug`, async () => {
          const record = await make();
          await must(s.del(`/${plural}/${record.id}`, 'admin'), 200);
          const back = await must(s.patch(`/${plural}/${record.id}`, { status }, 'admin'), 200);
          assert.deepEqual([back.status, back.slug], [status, record.slug]);
          assert.deepEqual(kept(back), kept(record));
        });
      }
      test('D14 D16 the slug is free meanwhile; if taken, the restored record gets a suffix', async () => {
        const record = await make();
        await must(s.del(`/${plural}/${record.id}`, 'admin'), 200);
        const other = await make({ slug: record.slug });
        assert.equal(other.slug, record.slug);
        assert.equal(
          (await must(s.patch(`/${plural}/${record.id}`, { status: 'publish' }, 'admin'), 200)).slug,
          `${record.slug}-2`,
        );
      });
      test('D14 status trash by an update is the same as DELETE', async () => {
        const record = await make();
        const gone = await must(s.patch(`/${plural}/${record.id}`, { status: 'trash' }, 'admin'), 200);
        assert.deepEqual([gone.status, gone.slug], ['trash', `${record.slug}__trashed`]);
        assert.equal((await s.del(`/${plural}/${record.id}`, 'admin')).status, 410);
      });
      for (const force of ['true', '1']) {
        test(`D14 force=${force} removes for good, from the trash too`, async () => {
          for (const before of [false, true]) {
            const { id, slug } = await make();
            if (before) await must(s.del(`/${plural}/${id}`, 'admin'), 200);
            assert.equal((await must(s.del(`/${plural}/${id}`, 'admin', { force }), 200)).id, id);
            assert.equal((await s.get(`/${plural}/${id}`, {}, 'admin')).status, 404);
            assert.equal((await s.get(`/${plural}/by-slug/${slug}`, {}, 'admin')).status, 404);
            assert.equal((await s.del(`/${plural}/${id}`, 'admin')).status, 404);
          }
        });
      }
      test('D14 force=false does not', async () => {
        const { id } = await make();
        assert.equal((await must(s.del(`/${plural}/${id}`, 'admin', { force: 'false' }), 200)).status, 'trash');
      });
      test('E3 reading what is in the trash', async () => {
        const { id } = await make();
        await must(s.del(`/${plural}/${id}`, 'admin'), 200);
        const singular = plural.slice(0, -1);
        const [anonymous, editor] = [await s.get(`/${plural}/${id}`), await s.get(`/${plural}/${id}`, {}, 'editor')];
        if (plural === 'events') {
          for (const reply of [anonymous, editor])
            assert.deepEqual([reply.status, reply.json.code], [403, 'event-no-longer-available']);
        } else {
          assert.deepEqual([anonymous.status, anonymous.json.code], [403, `${singular}-not-accessible`]);
          assert.deepEqual([editor.status, editor.json.status], [200, 'trash']);
        }
      });
      test('D16 slugs: unique within the kind, drafts too, and free for other kinds', async () => {
        const slug = unique('slug').replace(' ', '-');
        assert.equal((await make({ slug, status: 'draft' })).slug, slug);
        assert.equal((await make({ slug })).slug, `${slug}-2`);
        const other =
          plural === 'venues'
            ? { plural: 'organizers', body: { organizer: unique('X') } }
            : { plural: 'venues', body: { venue: unique('X') } };
        assert.equal((await must(s.post(`/${other.plural}`, { ...other.body, slug }, 'admin'))).slug, slug);
      });
      test('D16 a body slug on a by-slug update renames, the path says which record', async () => {
        const [one, two] = [await make(), await make()];
        const moved = await must(s.patch(`/${plural}/by-slug/${one.slug}`, { slug: two.slug }, 'admin'), 200);
        assert.deepEqual([moved.id, moved.slug], [one.id, `${two.slug}-2`]);
      });
    });
  }
});
