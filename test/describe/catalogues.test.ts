import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { LANGUAGES } from '../../src/i18n/languages.js';
import { translator } from '../../src/i18n/translate.js';
import { catalogueOf, ROOT, sources } from './support.js';

/** One flat file a language: the same keys, the same placeholders, nothing left in English, nothing unused. */

const english = catalogueOf('en');
const keys = Object.keys(english);

/** Texts that are rightly the same as in English, `language key`, with the reason. */
const SAME: Record<string, string> = {
  'de page.tickets': 'the word of the other texts; Karten are maps as well',
  'de page.website': 'the word of the other texts; a Webseite is one page',
  'nl page.tickets': 'the word of the other texts; a Kaart is a map',
  'nl page.website': 'the word of the other texts',
  'nl page.tags': 'the word of the other texts',
  'it page.password': 'the Italian word',
  'de form.name': 'the German word',
  'de form.status': 'the German word',
  'nl form.status': 'the Dutch word',
  'fr form.description': 'the French word',
  'fr form.latitude': 'the French word',
  'fr form.longitude': 'the French word',
  'pt form.latitude': 'the Portuguese word',
  'pt form.longitude': 'the Portuguese word',
};

const PLURAL = /\{(\w+), plural, ((?:\w+ \{[^{}]*\} ?)+)\}/g;
/** Names of the values in a text; of counted texts too. */
const placeholders = (text: string): string[] =>
  [...text.matchAll(PLURAL), ...text.replace(PLURAL, '').matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '').sort();

test('there is a catalogue for every language, and no other', () => {
  const files = readdirSync(path.join(ROOT, 'src/i18n')).filter((name) => name.endsWith('.json'));
  assert.deepEqual(files.sort(), LANGUAGES.map((language) => `${language}.json`).sort());
  const wanted = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'ja', 'zh', 'ar'];
  assert.deepEqual([...LANGUAGES], wanted);
});

for (const language of LANGUAGES) {
  const texts = catalogueOf(language);

  test(`${language}: the keys of English, in their order, none empty`, () => {
    assert.deepEqual(Object.keys(texts), keys);
    for (const key of keys) {
      assert.equal(typeof texts[key], 'string', key);
      assert.ok((texts[key] ?? '').trim().length > 1 && texts[key] === texts[key]?.trim(), key);
    }
  });

  test(`${language}: the placeholders of English`, () => {
    for (const key of keys) {
      assert.deepEqual(placeholders(texts[key] ?? ''), placeholders(english[key] ?? ''), key);
      const rest = (texts[key] ?? '').replace(PLURAL, '').replace(/\{\w+\}/g, '');
      assert.ok(!/[{}]/.test(rest), `${key}: a brace is left over`);
    }
  });

  test(`${language}: counted texts have every plural form of the language`, () => {
    const wanted = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    let counted = 0;
    for (const key of keys)
      for (const [, name, forms] of (texts[key] ?? '').matchAll(PLURAL)) {
        const there = [...(forms ?? '').matchAll(/(\w+) \{/g)].map(([, form]) => form ?? '');
        const used = [0, 1, 2, 3, 5, 11, 100].map((n) => new Intl.PluralRules(language).select(n));
        for (const form of new Set([...used, 'other'])) assert.ok(there.includes(form), `${key} ${name}: ${form}`);
        for (const form of there) assert.ok(wanted.includes(form as Intl.LDMLPluralRule), `${key}: ${form}`);
        for (const n of [0, 1, 2, 3, 11, 100])
          assert.ok(!/[{}#]|undefined/.test(translator(language)(key, { [name ?? '']: n })), `${key} ${n}`);
        counted++;
      }
    assert.ok(counted > 0);
  });

  if (language === 'en') continue;
  test(`${language}: nothing is left in English`, () => {
    const same = keys.filter((key) => texts[key] === english[key] && !Object.hasOwn(SAME, `${language} ${key}`));
    assert.deepEqual(same, []);
    for (const entry of Object.keys(SAME).filter((one) => one.startsWith(`${language} `)))
      assert.equal(texts[entry.slice(3)], english[entry.slice(3)], `${entry} differs by now`);
    // Words that only an English sentence has; names of parameters and of values do not count.
    const left = keys.filter((key) => / (?:the|must|which|with|that|these) /i.test(texts[key] ?? ''));
    assert.deepEqual(left, []);
  });

  const script = {
    ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u,
    zh: /\p{Script=Han}/u,
    ar: /\p{Script=Arabic}/u,
  }[language as string];
  if (script)
    test(`${language}: every text is in the script of the language`, () => {
      assert.deepEqual(
        keys.filter((key) => !script.test(texts[key] ?? '')),
        [],
      );
    });
}

/** Keys that are written out in src/, and keys that are put together there, as patterns. */
function keysInSource(): { exact: Map<string, string>; made: RegExp[] } {
  const exact = new Map<string, string>();
  const made = new Set<string>();
  const group = '(?:error|reason|arg|shape|op|answer|group|header|docs|doc|form|home|page|security)';
  for (const [file, text] of sources()) {
    if (file.startsWith('client/')) continue;
    for (const [, key = ''] of text.matchAll(new RegExp(`'(${group}\\.[\\w.-]+)'`, 'g')))
      if (!/\.(js|css)$/.test(key)) exact.set(key, file);
    for (const [, key = ''] of text.matchAll(new RegExp(`\`(${group}\\.[^\`\\s]*)\``, 'g')))
      if (key.includes('${')) made.add(key);
  }
  const pattern = (key: string): RegExp =>
    new RegExp(`^${key.replaceAll('.', '\\.').replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '[\\w.-]+')}$`);
  return { exact, made: [...made].map(pattern) };
}

test('every key that src/ uses exists, and every key is used', () => {
  const { exact, made } = keysInSource();
  assert.ok(exact.size > 200 && made.length > 10, `${exact.size} keys, ${made.length} patterns`);
  const unknown = [...exact].filter(([key]) => english[key] === undefined).map(([key, file]) => `${key} (${file})`);
  assert.deepEqual(unknown, []);
  for (const one of made)
    assert.ok(
      keys.some((key) => one.test(key)),
      `no key is like ${one}`,
    );
  const unused = keys.filter((key) => !exact.has(key) && !made.some((one) => one.test(key)));
  assert.deepEqual(unused, []);
});
