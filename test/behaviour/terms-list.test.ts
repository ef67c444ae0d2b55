import assert from 'node:assert/strict';
import { test } from 'node:test';
import { behaviour, makeEvent, must, rows } from '../support/rows.js';
import type { Reply } from '../support/server.js';

for (const plural of ['categories', 'tags'] as const) {
  behaviour(`the list of ${plural}`, async (s) => {
    const ids: Record<string, number> = {};
    for (const [name, slug, description] of [
      ['Beta', 'zz', 'two'],
      ['alpha', 'yy', 'three'],
      ['Ápex', 'xx', 'one'],
      ['Gamma', 'ww', ''],
    ] as const) {
      ids[name] = (await must(s.post(`/${plural}`, { name, slug, description }, 'admin'))).id;
    }
    const event = await makeEvent(s, { [plural]: [ids.Beta, ids.alpha] });
    await makeEvent(s, { [plural]: [ids.Beta] });
    const draft = await makeEvent(s, { [plural]: [ids.Gamma], status: 'draft' }, 'author');
    const binned = await makeEvent(s, { [plural]: [ids.Gamma], status: 'trash' }, 'author');
    const names = (reply: Reply): string[] => {
      assert.equal(reply.status, 200, reply.text.slice(0, 300));
      return reply.json[plural].map((term: { name: string }) => term.name);
    };
    const ALL = { hide_empty: false };
    const cases: [string, Record<string, unknown>, string[]][] = [
      ['hide_empty is the default', {}, ['alpha', 'Beta']],
      ['all, by name, without regard to case and accents', ALL, ['alpha', 'Ápex', 'Beta', 'Gamma']],
      ['order=desc', { ...ALL, order: 'DESC' }, ['Gamma', 'Beta', 'Ápex', 'alpha']],
      ['orderby=slug', { ...ALL, orderby: 'slug' }, ['Gamma', 'Ápex', 'alpha', 'Beta']],
      ['orderby=Term_ID, in any letter case', { ...ALL, orderby: 'Term_ID' }, ['Beta', 'alpha', 'Ápex', 'Gamma']],
      ['orderby=id', { ...ALL, orderby: 'id' }, ['Beta', 'alpha', 'Ápex', 'Gamma']],
      [
        'orderby=count, descending',
        { ...ALL, orderby: 'count', order: 'desc', include: [ids.Beta, ids.alpha] },
        ['Beta', 'alpha'],
      ],
      ['orderby=description', { ...ALL, orderby: 'description' }, ['Gamma', 'Ápex', 'alpha', 'Beta']],
      [
        'orderby=include',
        { ...ALL, include: `${ids.Gamma},${ids.alpha},${ids.Beta}`, orderby: 'include' },
        ['Gamma', 'alpha', 'Beta'],
      ],
      ['include by id and slug', { ...ALL, include: `${ids.Gamma},zz` }, ['Beta', 'Gamma']],
      ['exclude by id and slug', { ...ALL, exclude: [ids.Gamma, 'zz'] }, ['alpha', 'Ápex']],
      ['include wins over exclude', { ...ALL, include: [ids.Beta], exclude: [ids.Beta] }, ['Beta']],
      ['slug', { ...ALL, slug: 'YY' }, ['alpha']],
      ['a slug that no term can have', { ...ALL, slug: '!!' }, []],
      ['event', { event: event.id }, ['alpha', 'Beta']],
      ['post is the same', { post: event.id }, ['alpha', 'Beta']],
      ['search', { ...ALL, search: 'ALPH' }, ['alpha']],
      ['search in the description', { ...ALL, search: 'three' }, ['alpha']],
    ];
    test('offset is for tags only, in place of the page', async () => {
      const reply = await s.get(`/${plural}`, { ...ALL, per_page: 2, offset: 1 });
      assert.deepEqual(names(reply), plural === 'tags' ? ['Ápex', 'Beta'] : ['alpha', 'Ápex']);
      assert.deepEqual([reply.json.total, reply.json.total_pages], [4, 2]);
      const begin = await s.get(`/${plural}`, { ...ALL, per_page: 2, page: 2, offset: 0 });
      assert.deepEqual(names(begin), plural === 'tags' ? ['alpha', 'Ápex'] : ['Beta', 'Gamma']);
      for (const offset of ['x', '-1', ''])
        assert.deepEqual(names(await s.get(`/${plural}`, { ...ALL, per_page: 2, offset })), ['alpha', 'Ápex'], offset);
    });
    test('context=embed shows less of each', async () => {
      const reply = await s.get(`/${plural}`, { ...ALL, context: 'embed' });
      assert.deepEqual(Object.keys(reply.json[plural][0]), ['id', 'name', 'slug', 'taxonomy', 'url', 'urls']);
    });
    test('B3 context=edit lists and counts what the caller may edit', async () => {
      const mayEdit = plural === 'tags' ? ['admin', 'editor'] : ['admin', 'editor', 'author'];
      for (const role of ['admin', 'editor', 'author', 'contributor', 'subscriber', undefined] as const) {
        const reply = await s.get(`/${plural}`, { ...ALL, context: 'edit' }, role);
        const wanted = role !== undefined && mayEdit.includes(role) ? ['alpha', 'Ápex', 'Beta', 'Gamma'] : [];
        assert.deepEqual(names(reply), wanted, role);
        assert.deepEqual([reply.json.total, reply.headers.get('x-tec-total')], [wanted.length, String(wanted.length)]);
        assert.match(reply.json.rest_url, /[?&]context=edit(&|$)/);
      }
    });
    for (const [name, query, wanted] of cases) {
      test(`B17 ${name}`, async () => {
        const reply = await s.get(`/${plural}`, query);
        assert.deepEqual(names(reply), wanted);
        assert.deepEqual([reply.json.total, reply.headers.get('x-tec-total')], [wanted.length, String(wanted.length)]);
        const seen: string[] = [];
        for (let at: string | undefined = `/${plural}`, first = true; at; first = false) {
          const page: Reply = await s.get(at, first ? { ...query, per_page: 1 } : undefined);
          seen.push(...names(page));
          at = page.json.next_rest_url;
        }
        assert.deepEqual(seen, wanted, 'B2');
      });
    }
    const refused = { ask: `GET /${plural}`, status: 400, code: 'rest_invalid_param' };
    rows(
      s,
      Object.entries({
        page: ['0', 'x'],
        per_page: ['0', 'x', ''],
        order: ['', 'up', 'random'],
        orderby: ['', 'size', 'constructor'],
        include: ['', 'nope', '999999', `${ids.Beta},nope`],
        exclude: ['nope', '999999'],
        hide_empty: ['', 'yes', '2'],
        event: ['x', '0', '999999', String(draft.id), String(binned.id)],
        post: ['x', '999999', String(draft.id), String(binned.id)],
        slug: [''],
      }).flatMap(([name, values]) =>
        values.map((value) => ({ ...refused, name: `B17 ${name}=${value}`, query: { [name]: value }, params: [name] })),
      ),
    );
    rows(s, [
      {
        name: 'B1 past the end: 200 and nothing',
        ask: `GET /${plural}?page=9`,
        status: 200,
        shows: { [plural]: [], total: 2, total_pages: 1 },
      },
      {
        name: 'B1 per_page is cut',
        ask: `GET /${plural}?per_page=99`,
        status: 200,
        shows: { rest_url: /per_page=50/ },
      },
      {
        name: 'B16 terms of a draft, for its author',
        ask: `GET /${plural}?event=${draft.id}`,
        as: 'author',
        status: 200,
        shows: { total: 1 },
      },
      ...(['author', 'editor'] as const).map((as) => ({
        name: `B16 no terms of what is in the trash, read by ${as}`,
        ask: `GET /${plural}?event=${binned.id}`,
        as,
        status: 200,
        shows: { total: 0, [plural]: [] },
      })),
    ]);
    test('members and their order', async () => {
      const keys = async (query: Record<string, unknown>) =>
        Object.keys((await s.get(`/${plural}`, query)).json).join(' ');
      assert.equal(await keys({ per_page: 1 }), `rest_url total total_pages ${plural} next_rest_url`);
      assert.equal(await keys({ per_page: 1, page: 2 }), `rest_url total total_pages ${plural} previous_rest_url`);
    });
  });
}

behaviour('the tree of categories', async (s) => {
  const make = (name: string, parent?: number) =>
    must(s.post('/categories', { name, ...(parent ? { parent } : {}) }, 'admin'));
  const top = await make('Sport');
  const middle = await make('Ball', top.id);
  const leaf = await make('Futsal', middle.id);
  const bare = await make('Bare');
  const bad = { as: 'admin', status: 400, code: 'rest_invalid_param', params: ['parent'] } as const;
  rows(s, [
    { ...bad, name: 'D17 itself', ask: `PATCH /categories/${top.id}`, json: { parent: top.id } },
    { ...bad, name: 'D17 a child', ask: `PATCH /categories/${top.id}`, json: { parent: middle.id } },
    { ...bad, name: 'D17 a grandchild', ask: `PATCH /categories/${top.id}`, json: { parent: leaf.id } },
    { name: 'D17 nothing was moved', ask: `GET /categories/${top.id}`, status: 200, shows: { parent: 0 } },
    {
      name: 'C5 the page has the whole path',
      ask: `GET /categories/${leaf.id}`,
      status: 200,
      shows: { url: `${s.home}/events/category/sport/ball/futsal/` },
    },
    {
      name: 'B17 parent=0 is the top',
      ask: 'GET /categories?parent=0&hide_empty=false',
      status: 200,
      shows: { total: 2, 'categories.0.name': 'Bare', 'categories.1.name': 'Sport' },
    },
    {
      name: 'B17 parent: direct children only',
      ask: `GET /categories?parent=${top.id}&hide_empty=false`,
      status: 200,
      shows: { total: 1, 'categories.0.id': middle.id },
    },
    { name: 'B17 an unknown parent', ask: 'GET /categories?parent=999999', status: 400, params: ['parent'] },
    { name: 'B17 a parent by slug', ask: 'GET /categories?parent=sport', status: 400, params: ['parent'] },
    {
      name: 'the same name elsewhere in the tree',
      ask: 'POST /categories',
      as: 'admin',
      json: { name: 'Ball', parent: bare.id },
      status: 201,
      shows: { slug: 'ball-bare' },
    },
    {
      name: 'the same name beside it',
      ask: 'POST /categories',
      as: 'admin',
      json: { name: 'ball', parent: top.id },
      status: 400,
      code: 'term_exists',
    },
  ]);
  test('B17 hide_empty lists and counts the empty ancestors of a category that is not empty', async () => {
    await makeEvent(s, { categories: [leaf.id] });
    const list = await must(s.get('/categories'), 200);
    assert.deepEqual(
      list.categories.map((term: { name: string }) => term.name),
      ['Ball', 'Futsal', 'Sport'],
    );
    assert.equal(list.total, 3);
  });
  test('D14 removing a category moves its children up', async () => {
    const a = await make('A');
    const b = await make('B', a.id);
    const c = await make('C', b.id);
    await must(s.del(`/categories/${b.id}`, 'admin'), 200);
    assert.equal((await must(s.get(`/categories/${c.id}`), 200)).parent, a.id);
    await must(s.del(`/categories/${a.id}`, 'admin'), 200);
    assert.equal((await must(s.get(`/categories/${c.id}`), 200)).parent, 0);
  });
});
