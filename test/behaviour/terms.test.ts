import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Field, fieldSuites } from '../support/fields.js';
import { behaviour, eventually, makeEvent, must, rows, unique } from '../support/rows.js';
import type { Reply } from '../support/server.js';

const WORDS = { categories: 'tribe_events_cat', tags: 'post_tag' } as const;

for (const plural of ['categories', 'tags'] as const) {
  behaviour(`fields of ${plural}`, async (s) => {
    const make = (json: object) => must(s.post(`/${plural}`, json, 'admin'));
    const parent = plural === 'categories' ? await make({ name: 'Top' }) : undefined;
    const text: Field[] = [
      {
        field: 'name',
        values: [
          ['Rock & <b>Pop</b>', { name: 'Rock &amp; Pop' }],
          [1984, { name: '1984' }],
          [' 東京　マラソン \t 10\u00a0km\u00a0', { name: '東京　マラソン 10\u00a0km' }],
          ['C:\\dir 50%', { name: 'C:\\dir 50%' }],
        ],
        moves: ['name'],
        bad: ['', {}, [], true],
      },
      {
        field: 'description',
        values: [['Some <em>text</em><p>x</p>', { description: /^Some <em>text<\/em>\s*x$/ }]],
        moves: ['description'],
        clear: [['', []], { description: '' }],
        bad: [{ a: 1 }, ['x'], true],
      },
      { field: 'slug', values: [], moves: ['slug', 'url'], bad: [{ a: 1 }, ['x'], true] },
    ];
    const tree: Field = {
      field: 'parent',
      values: [
        [
          parent?.id,
          {
            parent: parent?.id,
            'urls.up': `${s.api}/categories/${parent?.id}`,
            url: /\/events\/category\/top\/[^/]+\/$/,
          },
        ],
      ],
      moves: ['parent', 'url', 'urls', '_links'],
      clear: [[0, ''], { parent: 0, 'urls.up': undefined }],
      bad: [999_999, 'top', 'x', -1, {}],
    };
    fieldSuites(s, {
      plural,
      least: (more) => ({ name: unique('Term'), ...more }),
      full: () =>
        make({
          name: unique('Full'),
          description: 'Kept',
          slug: unique('kept'),
          ...(parent ? { parent: parent.id } : {}),
        }),
      required: ['name'],
      fields: parent ? [...text, tree] : text,
    });

    test('C1 C6 members and their order', async () => {
      const term = await make({ name: 'Shape' });
      const keys = [
        'id',
        'count',
        'description',
        'name',
        'slug',
        'taxonomy',
        ...(parent ? ['parent'] : []),
        'meta',
        'url',
        'urls',
      ];
      assert.deepEqual(Object.keys(term), [...keys, '_links']);
      assert.deepEqual([term.taxonomy, term.meta, term.count], [WORDS[plural], [], 0]);
      assert.equal(term._links.self[0].href, `${s.api}/${plural}/${term.id}`);
      assert.doesNotMatch(JSON.stringify(term), /wp\/v2/);
      const listed = (await must(s.get(`/${plural}`, { include: term.id, hide_empty: false }), 200))[plural][0];
      assert.deepEqual(Object.keys(listed), keys);
    });

    test('D16 a slug with encoded letters is found by it, and its page as well', async () => {
      for (const slug of ['caf%c3%a9', 'col%c2%b7lectiu']) {
        const { id, url } = await make({ name: unique('Encoded'), slug });
        const found = await must(s.get(`/${plural}`, { slug, hide_empty: false }), 200);
        assert.deepEqual(
          found[plural].map((one: { id: number }) => one.id),
          [id],
        );
        assert.equal((await fetch(url)).status, 200, url);
      }
      const { url } = await make({ name: 'Tōkyō' });
      assert.equal((await fetch(url.replace('tokyo', 'Tōkyō'))).status, 200);
    });

    test('context=embed shows less of one that is read, and without its parent no way up (reference)', async () => {
      const { id, name, slug, taxonomy, url, urls, _links } = await make({ name: unique('E'), parent: parent?.id });
      const { up, ...rest } = urls;
      assert.equal(up === undefined, parent === undefined);
      const less = { id, name, slug, taxonomy, url, urls: rest };
      const read = await must(s.get(`/${plural}/${id}`, { context: 'embed' }), 200);
      assert.deepEqual(Object.keys(read), [...Object.keys(less), '_links']);
      assert.deepEqual({ ...read, _links }, { ...less, _links });
      for (const _embed of ['', '1', 'true', 'up', 'x,up', 'x']) {
        const { _embedded } = await must(s.get(`/${plural}/${id}`, { _embed }), 200);
        const found = _embedded?.up.map((one: { id: number; _links: unknown }) => [one.id, '_links' in one]);
        assert.deepEqual(found, parent && _embed !== 'x' ? [[parent.id, true]] : undefined, _embed);
      }
      const list = await must(s.get(`/${plural}`, { include: id, hide_empty: false, context: 'embed' }), 200);
      assert.deepEqual(list[plural], [less]);
      const changed = await s.ask('PATCH', `/${plural}/${id}`, { as: 'admin', json: { context: 'embed' } });
      assert.equal(changed.json.count, 0, 'what is written is told in full');
    });

    test('a name of signs alone leaves no slug: the id is one (reference)', async () => {
      const [one, two] = [await make({ name: '!!!' }), await make({ name: '---' })];
      assert.deepEqual([one.slug, two.slug], [String(one.id), String(two.id)]);
    });

    test('every word can be a slug, those that addresses of records use too (reference)', async () => {
      const { id, slug, url } = await make({ name: 'RSS' });
      assert.equal(slug, 'rss');
      assert.equal((await s.get(`~${new URL(url).pathname}`)).status, 200);
      assert.equal((await must(s.patch(`/${plural}/${id}`, { slug: 'feed' }, 'admin'), 200)).slug, 'feed');
    });

    if (parent)
      test('whose name or slug is in the way among siblings (reference)', async () => {
        const [top, under] = [await make({ name: 'Way' }), (more: object) => ({ parent: top.id, ...more })];
        const [kz, jz] = [await make(under({ name: 'Kz', slug: 'kz' })), await make(under({ name: 'Jz', slug: 'jz' }))];
        const refused = async (json: object): Promise<number> =>
          (await must(s.post('/categories', under(json), 'admin'), 400)).data.term_id;
        assert.equal(await refused({ name: 'Kz' }), kz.id);
        assert.equal(await refused({ name: 'kZ' }), kz.id);
        assert.equal(await refused({ name: 'Kz', slug: 'jz' }), jz.id);
        await make(under({ name: 'Case', slug: 'other-case' }));
        assert.equal((await make(under({ name: 'case' }))).slug, 'case');
      });

    const taken = await make({ name: 'Taken', slug: 'taken' });
    const other = await make({ name: 'Other', slug: 'other' });
    const spaced = await make({ name: 'Two words' });
    const create = { ask: `POST /${plural}`, as: 'admin' } as const;
    const update = { ask: `PATCH /${plural}/${other.id}`, as: 'admin' } as const;
    rows(s, [
      { ...create, name: 'A7 a name of blanks', json: { name: '  ' }, status: 400, code: 'empty_term_name' },
      { ...create, name: 'A7 a name of markup', json: { name: '<b></b>' }, status: 400, code: 'invalid_term_name' },
      {
        ...create,
        name: 'A3 no name',
        json: { slug: 'x' },
        status: 400,
        code: 'rest_missing_callback_param',
        params: ['name'],
      },
      {
        ...create,
        name: 'the same name',
        json: { name: 'Taken' },
        status: 400,
        code: 'term_exists',
        shows: { 'data.term_id': taken.id, additional_data: [taken.id, taken.id] },
      },
      { ...create, name: 'the same name in another case', json: { name: 'tAKEN' }, status: 400, code: 'term_exists' },
      {
        ...create,
        name: 'the same name and a taken slug',
        json: { name: 'Taken', slug: 'taken' },
        status: 400,
        code: 'term_exists',
      },
      {
        ...create,
        name: 'the same name and a new slug',
        json: { name: 'Taken', slug: 'Not Taken' },
        status: 201,
        shows: { slug: 'not-taken' },
      },
      {
        ...create,
        name: 'a name that differs by more than the case of plain letters is another one (reference)',
        json: { name: 'Täken' },
        status: 201,
        shows: { slug: 'taken-2' },
      },
      {
        ...create,
        name: 'D16 a taken slug gets a suffix on create',
        json: { name: 'Unlike', slug: 'taken' },
        status: 201,
        shows: { slug: 'taken-3' },
      },
      {
        ...create,
        name: 'a name that differs by the kind of a blank is the same',
        json: { name: 'Two\u00a0words' },
        status: 400,
        code: 'term_exists',
        shows: { 'data.term_id': spaced.id },
      },
      {
        ...update,
        name: 'A7 a name of markup on update (reference)',
        json: { name: '<b></b>' },
        status: 400,
        code: 'empty_term_name',
      },
      {
        ...update,
        name: 'A7 a taken slug is refused on update',
        json: { slug: 'taken' },
        status: 400,
        code: 'duplicate_term_slug',
      },
      { ...update, name: 'the own slug is not', json: { slug: 'other' }, status: 200, shows: { slug: 'other' } },
      {
        ...update,
        name: 'a name that is taken may be shared by an update',
        json: { name: 'Taken' },
        status: 200,
        shows: { name: 'Taken', slug: 'other' },
      },
      {
        ...update,
        name: 'D1 an empty body changes nothing',
        json: {},
        status: 200,
        shows: { name: 'Taken', slug: 'other' },
      },
      ...(plural === 'tags'
        ? [
            {
              ...create,
              name: 'a tag has no parent',
              json: { name: 'Low', parent: taken.id },
              status: 400,
              code: 'rest_taxonomy_not_hierarchical',
            },
            {
              ...update,
              name: 'nor on update',
              json: { parent: taken.id },
              status: 400,
              code: 'rest_taxonomy_not_hierarchical',
            },
          ]
        : []),
    ]);
    test('D1 POST, PUT and PATCH are the same', async () => {
      for (const method of ['POST', 'PUT', 'PATCH']) {
        const term = await make({ name: unique('M'), description: 'Kept' });
        const changed = await must(
          s.ask(method, `/${plural}/${term.id}`, { as: 'admin', json: { name: `M ${method}` } }),
          200,
        );
        assert.deepEqual({ ...changed, name: '' }, { ...term, name: '' });
      }
    });
    test('D14 DELETE removes for good: the record as it was, then 404, and events lose it', async () => {
      const term = await make({ name: unique('Gone') });
      const event = await makeEvent(s, { [plural]: [term.id] });
      const { _links, ...before } = await must(s.get(`/${plural}/${term.id}`), 200);
      assert.equal(before.count, 1);
      assert.deepEqual(await must(s.del(`/${plural}/${term.id}`, 'admin'), 200), before);
      assert.equal((await s.del(`/${plural}/${term.id}`, 'admin')).status, 404);
      assert.deepEqual((await must(s.get(`/events/${event.id}`), 200))[plural], []);
    });
    test('E1 who may write', async () => {
      for (const [as, status] of [
        [undefined, 401],
        ['subscriber', 403],
        ['contributor', 403],
        ['author', parent ? 201 : 403],
        ['editor', 201],
      ] as const) {
        assert.equal((await s.post(`/${plural}`, { name: unique('Right') }, as)).status, status, as);
      }
    });
  });

  behaviour(`counts of ${plural}`, async (s) => {
    test('the count follows publish, draft, private, trash, restore and removal', async () => {
      const { id } = await must(s.post(`/${plural}`, { name: unique('Count') }, 'admin'));
      const count = async () => (await must(s.get(`/${plural}/${id}`), 200)).count;
      const first = await makeEvent(s, { [plural]: [id] });
      const second = await makeEvent(s, { [plural]: [id], status: 'draft' });
      assert.equal(await count(), 1);
      const steps: [Promise<Reply> | (() => Promise<Reply>), number, string][] = [
        [() => s.patch(`/events/${second.id}`, { status: 'publish' }, 'admin'), 2, 'published'],
        [() => s.patch(`/events/${second.id}`, { title: 'Same' }, 'admin'), 2, 'changed'],
        [() => s.patch(`/events/${first.id}`, { status: 'private' }, 'admin'), 1, 'private'],
        [() => s.patch(`/events/${first.id}`, { status: 'publish' }, 'admin'), 2, 'published again'],
        [() => s.del(`/events/${first.id}`, 'admin'), 1, 'trashed'],
        [() => s.patch(`/events/${first.id}`, { status: 'publish' }, 'admin'), 2, 'restored'],
        [() => s.patch(`/events/${second.id}`, { [plural]: [] }, 'admin'), 1, 'taken off'],
        [() => s.patch(`/events/${second.id}`, { [plural]: [id] }, 'admin'), 2, 'put on'],
        [() => s.del(`/events/${second.id}`, 'admin', { force: true }), 1, 'removed for good'],
        [() => s.del(`/events/${first.id}`, 'admin'), 0, 'trashed again'],
        [() => s.del(`/events/${first.id}`, 'admin', { force: true }), 0, 'removed from the trash'],
      ];
      for (const [step, wanted, name] of steps) {
        await must(typeof step === 'function' ? step() : step, 200);
        assert.equal(await count(), wanted, name);
      }
    });
    test('D10 a scheduled event counts when its time comes', async () => {
      const { id } = await must(s.post(`/${plural}`, { name: unique('Soon') }, 'admin'));
      const date_utc = Math.floor(Date.now() / 1000) + 2;
      const event = await makeEvent(s, { [plural]: [id], date_utc });
      assert.equal(event.status, 'future');
      assert.equal((await must(s.get(`/${plural}/${id}`), 200)).count, 0);
      assert.equal(await eventually(async () => (await must(s.get(`/${plural}/${id}`), 200)).count || undefined), 1);
    });
  });
}
