import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { behaviour, idsIn, makeEvent, must, newEvent, rows } from '../support/rows.js';

const EVER = { starts_after: '1990-01-01' };
/** Terms are found by their slug too: one that says nothing, unless the name is Latin. */
const OTHER_SCRIPT = /\p{Script=Cyrillic}|\p{Script=Han}|\p{Script=Arabic}|\p{Extended_Pictographic}/u;
const plain = (name: string): string => (OTHER_SCRIPT.test(name) ? '777' : '');
/** How each kind takes a name, and what makes its list show everything. */
const KINDS = {
  events: { body: (title: string) => newEvent({ title }), query: EVER },
  venues: { body: (venue: string) => ({ venue }), query: {} },
  organizers: { body: (organizer: string) => ({ organizer }), query: {} },
  categories: { body: (name: string) => ({ name, slug: plain(name) }), query: { hide_empty: false } },
  tags: { body: (name: string) => ({ name, slug: plain(name) }), query: { hide_empty: false } },
};
type Plural = keyof typeof KINDS;

const NAMES = [
  'Crème Brûlée Évening',
  'Jazz-Nacht im Straßencafé',
  'Ночной джаз',
  '東京ジャズ祭り',
  'مهرجان الموسيقى',
  'Rock 🎸 Festival',
  'AND OR NOT NEAR',
  'He said "hi" to O\'Brien (50%_off) a*b^c:d {y}',
  'C# z',
  'Zz Łódź Ælfred',
];

/** Words, and the names (by place in the list) that have them. */
const CASES: [query: string, found: number[], why: string][] = [
  ['creme', [0], 'no accents'],
  ['BRÛLÉE', [0], 'another case'],
  ['rulé', [0], 'part of a word'],
  ['evening creme', [0], 'every word, any order'],
  ['creme nacht', [], 'every word, not any'],
  ['"brulee evening"', [0], 'a phrase'],
  ['"evening brulee"', [], 'a phrase in its order only'],
  ['jazz', [1], ''],
  ['STRASSE', [1], 'ß is ss'],
  ['straße', [1], 'and ss is ß'],
  ['jazz -nacht', [], 'exclusion'],
  ['e -jazz -"to o\'brien" -rock -not -zz', [0], 'several exclusions, a phrase too'],
  ['jazz-nacht', [1], 'a dash inside of a word excludes nothing'],
  ['ДЖАЗ', [2], 'Cyrillic, another case'],
  ['очно', [2], 'Cyrillic, part of a word'],
  ['ジャズ', [3], 'Katakana'],
  ['京', [3], 'one ideograph'],
  ['祭り', [3], 'two characters'],
  ['موسيق', [4], 'Arabic, part of a word'],
  ['مُوسِيقى', [4], 'Arabic with vowel signs'],
  ['🎸', [5], 'an emoji'],
  ['fest 🎸', [5], 'a word and an emoji'],
  ['AND', [6], 'no operator'],
  ['OR NOT', [6], 'no operators'],
  ['NEAR', [6], 'no operator'],
  ['near(and', [], 'no operator with a bracket'],
  ['"hi"', [7], 'quotes stand around a phrase'],
  ['50%_off', [7], ''],
  ['%', [7], 'no wildcard'],
  ['_', [7], 'no wildcard'],
  ['%off', [], 'no wildcard'],
  ['a*b', [7], ''],
  ['fest*', [], 'no prefix operator'],
  ['c:d', [7], 'no column filter'],
  ['text:rock', [], 'no column filter'],
  ['(50', [7], 'an open bracket'],
  ['b^c', [7], ''],
  ["o'brien", [7], 'apostrophe'],
  ['O’Brien', [7], 'curly apostrophe'],
  ['{y}', [7], ''],
  ["' OR 1=1 --", [], 'no SQL'],
  ['"rock', [5], 'a quote that is never closed'],
  ['c#', [8], 'two letters'],
  ['z', [1, 3, 8, 9].filter((n) => n !== 3), 'one letter'],
  ['zz', [1, 9], 'two letters'],
  ['lodz', [9], 'letters with a stroke'],
  ['the', [], 'a stop word is a word'],
];

behaviour('search (B10)', async (s) => {
  for (const [plural, { body, query }] of Object.entries(KINDS)) {
    describe(plural, async () => {
      const ids: number[] = [];
      for (const name of NAMES) ids.push((await must(s.post(`/${plural}`, body(name), 'admin'))).id);
      const find = async (search: string) => {
        const reply = await s.get(`/${plural}`, { ...query, search, per_page: 50 });
        assert.equal(reply.status, 200, reply.text);
        assert.equal(reply.json.total, reply.json[plural].length, 'B3');
        return idsIn(reply, plural)
          .filter((id) => ids.includes(id))
          .map((id) => ids.indexOf(id))
          .sort();
      };
      for (const [words, found, why] of CASES) {
        test(`B10 ${plural}: ${words} ${why && `(${why})`}`, async () => assert.deepEqual(await find(words), found));
      }
      test(`B10 ${plural}: an exclusion alone`, async () => {
        assert.deepEqual(await find('-jazz'), [0, 2, 3, 4, 5, 6, 7, 8, 9]);
      });
      rows(
        s,
        ['search=', 'search=0', 'search[]=a'].map((bad) => ({
          name: `A7 ${plural}: ${bad}`,
          ask: `GET /${plural}?${bad}`,
          status: 400,
          code: 'rest_invalid_param',
          params: ['search'],
        })),
      );
    });
  }

  // Slugs of other scripts are stored percent-encoded; nobody looks for 'd0'.
  test('B10 the octets of a slug are no words', async () => {
    await must(s.post('/tags', { name: 'Жук' }, 'admin'));
    assert.equal((await must(s.get('/tags', { hide_empty: false, search: 'd0%b6' }), 200)).total, 0);
  });

  describe('where is looked', async () => {
    /** Kind, a record, words that find it, words that do not. */
    const records: [Plural, Record<string, unknown>, string[], string[]][] = [
      [
        'events',
        newEvent({
          title: 'Quokka',
          description: '<p>A <strong>marsupial</strong> of R&amp;B</p>',
          excerpt: 'Small wallaby',
          slug: 'unseen-slug',
          venue: { venue: 'Rottnest' },
          organizer: [{ organizer: 'Ranger' }],
          tags: ['cute'],
        }),
        ['quokka', 'marsupial', 'wallaby', 'quokka wallaby', 'r&b', '"a marsupial of"'],
        ['strong', '<p>', 'rottnest', 'ranger', 'cute', 'unseen', '"quokka a"'],
      ],
      [
        'venues',
        {
          venue: 'Numbat',
          description: 'Burrow',
          address: '12 Hollow Log',
          city: 'Dryandra',
          country: 'Australia',
          province: 'Wheatbelt',
          state: 'WA-State',
          zip: '6311',
          phone: '+61 8 5550',
          website: 'https://numbat.example',
        },
        [
          'numbat',
          'burrow',
          'hollow log',
          'dryandra',
          'australia',
          'wheatbelt',
          'wa-state',
          '6311',
          '5550',
          'numbat dryandra',
        ],
        ['"numbat burrow"'],
      ],
      [
        'organizers',
        {
          organizer: 'Bilby',
          description: 'Desert',
          phone: '555-7788',
          email: 'dig@bilby.example',
          website: 'https://ears.example',
        },
        ['bilby', 'desert', '555-7788', 'dig@bilby', 'ears.example', 'bilby desert'],
        [],
      ],
      ['categories', { name: 'Echidna', slug: 'spiny', description: 'Eats ants' }, ['echidna', 'spiny', 'ants'], []],
      ['tags', { name: 'Wombat', slug: 'digger', description: 'Square' }, ['wombat', 'digger', 'square'], []],
    ];
    for (const [plural, json, finds, misses] of records) {
      const { id } = await must(s.post(`/${plural}`, json, 'admin'));
      const found = async (search: string) =>
        idsIn(await s.get(`/${plural}`, { ...KINDS[plural].query, search, per_page: 50 }), plural).includes(id);
      for (const word of finds) test(`B10 ${plural} finds ${word}`, async () => assert.equal(await found(word), true));
      for (const word of misses)
        test(`B10 ${plural} does not find ${word}`, async () => assert.equal(await found(word), false));
      test(`B10 ${plural}: a changed text is found, the old one no longer`, async () => {
        assert.equal(await found('thylacine'), false);
        await must(s.patch(`/${plural}/${id}`, { description: 'Thylacine' }, 'admin'), 200);
        assert.equal(await found('thylacine'), true);
        await must(s.patch(`/${plural}/${id}`, { description: '' }, 'admin'), 200);
        assert.equal(await found('thylacine'), false);
      });
      test(`B10 ${plural}: what is removed is not found`, async () => {
        const [word = ''] = finds;
        await must(s.del(`/${plural}/${id}`, 'admin'), 200);
        assert.equal(await found(word), false);
      });
    }
  });

  describe('what may not be read is not found (E2, E4)', async () => {
    const vault = await makeEvent(s, {
      title: 'Vault',
      description: 'Diamonds',
      excerpt: 'Rubies',
      password: 'mellon',
    });
    const draft = await makeEvent(s, { title: 'Unfinished sympathy', status: 'draft' }, 'author');
    const total = async (search: string, more: object = {}, as?: 'admin' | 'author' | 'contributor') => {
      const reply = await s.get('/events', { ...EVER, search, ...more }, as);
      assert.equal(reply.status, 200);
      return reply.json.total;
    };
    for (const word of ['diamonds', 'rubies', 'vault diamonds', 'amon']) {
      test(`E4 hidden text never matches: ${word}`, async () => {
        assert.equal(await total(word), 0);
        assert.equal(await total(word, { password: 'mellon' }), 0);
        assert.equal(await total(word, {}, 'admin'), 0);
        assert.equal(await total(word, { context: 'edit' }, 'admin'), 0);
      });
    }
    test('E4 nor does an exclusion tell', async () => assert.equal(await total('vault -diamonds', {}, 'author'), 1));
    test('strangers do not find it at all, whatever they look for', async () => {
      for (const words of ['vault', 'vault -diamonds', '-harbour'])
        assert.ok(!(await s.get('/events', { ...EVER, search: words, per_page: 50 })).text.includes('Vault'), words);
    });
    rows(s, [
      {
        name: 'E4 for those who are signed in the title is open, the rest is redacted',
        ask: 'GET /events',
        as: 'subscriber',
        query: { ...EVER, search: 'vault' },
        status: 200,
        shows: { total: 1, 'events.0.id': vault.id, 'events.0.description': '' },
        lacks: ['Diamonds', 'Rubies'],
      },
    ]);
    test('E4 a password set later hides, and taken away shows again', async () => {
      const { id } = await makeEvent(s, { title: 'Chest', description: 'Doubloons' });
      assert.equal(await total('doubloons'), 1);
      await must(s.patch(`/events/${id}`, { new_password: 'arr' }, 'admin'), 200);
      assert.equal(await total('doubloons'), 0);
      await must(s.patch(`/events/${id}`, { excerpt: 'Doubloons' }, 'admin'), 200);
      assert.equal(await total('doubloons'), 0);
      await must(s.patch(`/events/${id}`, { new_password: '' }, 'admin'), 200);
      assert.equal(await total('doubloons'), 1);
    });
    test('E2 a draft is found by its author, not by others', async () => {
      assert.equal(draft.status, 'draft');
      assert.equal(await total('unfinished', {}, 'author'), 1);
      assert.equal(await total('unfinished', {}, 'admin'), 1);
      assert.equal(await total('unfinished', {}, 'contributor'), 0);
      assert.equal(await total('unfinished'), 0);
    });
  });
});
