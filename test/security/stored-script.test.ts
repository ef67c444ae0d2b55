import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { type Browser, chromium } from 'playwright-core';
import { behaviour, must, unique } from '../support/rows.js';
import { startServer } from '../support/server.js';
import { CORPUS, faultsOf, LINKS } from './attacks.js';
import { Findings } from './support.js';

/** Row "stored and reflected script": a corpus in every text field; what comes back as HTML does nothing but show. */

const BROWSER = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const missing = existsSync(BROWSER) ? false : `no Chromium at ${BROWSER}: install one, or set CHROMIUM_PATH`;
const on = { start_date: '2031-05-06 19:30', end_date: '2031-05-06 21:00' };

/** Members that are HTML (C2), and plain text of one line, by kind. */
const KINDS: Record<string, { html: string[]; line: string[]; least: () => Record<string, unknown>; name: string }> = {
  events: {
    name: 'title',
    html: ['title', 'description', 'excerpt'],
    line: [],
    least: () => ({ title: unique('E'), ...on }),
  },
  venues: {
    name: 'venue',
    html: ['venue', 'description'],
    line: ['address', 'city', 'country', 'province', 'state', 'zip', 'phone', 'stateprovince'],
    least: () => ({ venue: unique('V') }),
  },
  organizers: {
    name: 'organizer',
    html: ['organizer', 'description'],
    line: ['phone', 'email'],
    least: () => ({ organizer: unique('O') }),
  },
  categories: { name: 'name', html: ['name', 'description'], line: [], least: () => ({ name: unique('C') }) },
  tags: { name: 'name', html: ['name', 'description'], line: [], least: () => ({ name: unique('T') }) },
};

interface Piece {
  from: string;
  html: string;
}

/** What happened while each of the pieces was put on a page, as pages do: between tags of their own. */
async function troubleOf(browser: Browser, pieces: Piece[]): Promise<string[]> {
  const page = await browser.newPage();
  const trouble: string[] = [];
  let now = '';
  page.on('dialog', (dialog) => {
    trouble.push(`dialog: ${now}`);
    void dialog.dismiss();
  });
  await page.exposeFunction('hit', () => trouble.push(`script: ${now}`));
  await page.route('**/*', (route) => {
    const url = route.request().url();
    if (url === 'http://page.test/')
      return route.fulfill({ contentType: 'text/html', body: '<!doctype html><main id=at></main>' });
    // A picture by http is what HTML is for; a script, frame or form is not.
    if (!['image', 'media'].includes(route.request().resourceType())) trouble.push(`request ${url}: ${now}`);
    return route.abort();
  });
  await page.goto('http://page.test/');
  for (const [html, from] of new Map(pieces.map((piece) => [piece.html, piece.from]))) {
    now = from;
    await page.evaluate(show, html);
  }
  await page.waitForTimeout(300);
  await page.close();
  return trouble.slice(0, 20);
}

// What runs inside the page; the tests themselves know no browser.
interface Element {
  innerHTML: string;
  querySelectorAll(what: string): Iterable<Element>;
  click?(): void;
  focus?(): void;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
}
declare const document: { getElementById(id: string): Element };
async function show(text: string): Promise<void> {
  const at = document.getElementById('at');
  at.innerHTML = `<table><tr><td>${text}</td><td title="x">end</td></tr></table><p>${text}</p>`;
  for (const one of at.querySelectorAll('a[href]')) {
    // Links to other sites are fine; following them here would only end the page.
    if (/^\s*(https?|mailto|tel):|^[/?#]|^[^:]*$/i.test(one.getAttribute('href') ?? '')) one.setAttribute('href', '#');
    one.click?.();
  }
  for (const one of at.querySelectorAll('*')) one.focus?.();
  await new Promise((resolve) => setTimeout(resolve, 0));
}

behaviour(
  'stored script',
  async (s) => {
    const pieces: Piece[] = [];
    const lines: Piece[] = [];

    for (const [plural, { html, least, name }] of Object.entries(KINDS)) {
      test(`${plural}: HTML is made safe when it is read, too, whatever a row holds (C2)`, async () => {
        const evil = '<b>Bold</b><script>alert(1)</script><img src=x onerror=alert(1)>';
        const { id } = await must(s.post(`/${plural}`, least(), 'admin'));
        const table = { categories: 'term', tags: 'term' }[plural] ?? plural.slice(0, -1);
        for (const field of html) {
          const column = field === name && plural !== 'events' ? 'name' : field;
          await s.database.write((db) =>
            db.run(sql`UPDATE ${sql.table(table)} SET ${sql.ref(column)} = ${evil} WHERE id = ${id}`),
          );
          const told = String((await must(s.get(`/${plural}/${id}`, undefined, 'admin'), 200))[field]);
          assert.match(told, /Bold/, field);
          assert.doesNotMatch(told, /<script|onerror/, field);
        }
      });
    }

    for (const [plural, { html, line, least, name }] of Object.entries(KINDS)) {
      test(`${plural}: HTML fields come back safe, whatever was sent`, async () => {
        const found = new Findings();
        for (const attack of CORPUS) {
          // All fields at once; a name may be too long for a term, and then the rest goes alone.
          const names = [...html, ...line];
          for (const fields of [names, names.filter((field) => field !== name)]) {
            const sent = Object.fromEntries(fields.map((field) => [field, `${unique('n')} ${attack}`]));
            const reply = await s.post(`/${plural}`, { ...least(), ...sent }, 'admin');
            found.check([201, 400].includes(reply.status), () => `${attack}: ${reply.status} ${reply.text}`);
            if (reply.status !== 201) continue;
            const single = await must(s.get(`/${plural}/${reply.json.id}`), 200);
            for (const shown of [reply.json, single]) {
              for (const one of [...new Set([...html, name])]) {
                const text = String(shown[one] ?? '');
                pieces.push({ from: `${plural}.${one} ${attack}`, html: text });
                const faults = faultsOf(text);
                found.check(
                  faults.length === 0,
                  () => `${plural}.${one}: ${faults.join(', ')}\n  sent ${attack}\n  got ${text}`,
                );
              }
              for (const one of line)
                lines.push({ from: `${plural}.${one} ${attack}`, html: String(shown[one] ?? '') });
            }
            break;
          }
        }
        found.end(CORPUS.length);
      });
    }

    test('inside an event: terms, venue, organizer, tickets, parameters in links', async () => {
      const found = new Findings();
      for (const attack of CORPUS.filter((one) => one.length < 150)) {
        const json = {
          title: unique('E'),
          ...on,
          venue: { venue: `${unique('V')} ${attack}`, description: attack },
          organizer: [{ organizer: `${unique('O')} ${attack}` }],
          categories: [{ name: `${unique('C')} ${attack}`, description: attack }],
          tags: [`${unique('T')} ${attack}`],
          tickets: [{ name: `t ${attack}` }],
        };
        const reply = await s.post('/events', json, 'admin');
        if (reply.status !== 201) {
          found.check(reply.status === 400, () => `${attack}: ${reply.status}`);
          continue;
        }
        const { venue, organizer, categories, tags } = reply.json;
        for (const html of [
          venue.venue,
          venue.description,
          organizer[0].organizer,
          categories[0]?.name,
          categories[0]?.description,
          tags[0]?.name,
        ]) {
          const faults = faultsOf(String(html ?? ''));
          pieces.push({ from: `inside: ${attack}`, html: String(html ?? '') });
          found.check(faults.length === 0, () => `${faults.join(', ')}\n  sent ${attack}\n  got ${html}`);
        }
        for (const path of ['/events', '/venues', '/categories']) {
          const list = await s.get(path, { search: attack.slice(0, 900), [attack.slice(0, 50)]: attack }, 'admin');
          for (const link of [list.json.rest_url, list.headers.get('link')]) {
            found.check(
              !/[<>"]/.test(String(link ?? '').replace(/<([^<>"]*)>; rel="[^"]*"/g, '$1')),
              () => `${path} link: ${link}`,
            );
          }
          found.check(
            /^application\/json/.test(list.headers.get('content-type') ?? '') &&
              list.headers.get('x-content-type-options') === 'nosniff',
            () => `${path}: type`,
          );
        }
      }
      found.end(100);
    });

    test('link fields take http and https only', async () => {
      const found = new Findings();
      for (const link of LINKS) {
        for (const [path, json] of [
          ['/events', { title: 'L', ...on, website: link }],
          ['/venues', { venue: unique('L'), website: link }],
          ['/organizers', { organizer: unique('L'), website: link }],
          ['/events', { title: 'L', ...on, tickets: [{ name: 'x', url: link }] }],
        ] as const) {
          const reply = await s.post(path, json, 'admin');
          found.check(
            reply.status === 400,
            () => `${path} ${JSON.stringify(link)}: ${reply.status} ${reply.json?.website}`,
          );
        }
      }
      for (const link of [
        'https://x.test/"onmouseover="alert(1)',
        "https://x.test/'><script>alert(1)</script>",
        'https://x.test/<img>',
      ]) {
        const reply = await s.post('/events', { title: 'L', ...on, website: link }, 'admin');
        found.check(
          reply.status === 400 || !/[<>"']/.test(reply.json.website),
          () => `${link}: ${reply.json?.website}`,
        );
        const venue = await s.post('/venues', { venue: unique('L'), website: link }, 'admin');
        found.check(venue.status === 400 || !/[<>"]/.test(venue.json.website), () => `${link}: ${venue.json?.website}`);
      }
      found.end(LINKS.length);
    });

    describe('in a real browser', { skip: missing }, () => {
      let browser: Browser;
      before(async () => {
        browser = await chromium.launch({
          executablePath: BROWSER,
          headless: true,
          args: [
            '--no-sandbox',
            '--disable-gpu',
            '--no-first-run',
            '--disable-background-networking',
            '--disable-component-update',
          ],
        });
      });
      after(() => browser.close());

      test('fields that are HTML: nothing runs, asks or is fetched', async () => {
        assert.ok(pieces.length > 500, `${pieces.length} pieces`);
        assert.deepEqual(await troubleOf(browser, pieces), []);
      });
      // They are text, to be escaped; the reference leaves no tag in them all the same, and pages have come to rely on it.
      test('fields that are plain text, on a page that forgets to escape them', async () => {
        assert.ok(lines.length > 500, `${lines.length} pieces`);
        assert.deepEqual(await troubleOf(browser, lines), []);
      });

      test('our own pages, with the corpus in the name of the site and in what they list', async () => {
        const evil = `</title></script><script>alert(1)</script><img src=x onerror=alert(1)>"'>`;
        const named = await startServer({
          KALENDS_SITE_NAME: evil,
          KALENDS_SITE_DESCRIPTION: evil,
          KALENDS_CURRENCY_SYMBOL: '"><b>',
          KALENDS_LOG_LEVEL: 'silent',
        });
        const soon = new Date(Date.now() + 86_400_000 * 3).toISOString().slice(0, 10);
        for (const attack of CORPUS.slice(0, 15))
          await named.post(
            '/events',
            { title: `E ${attack}`, start_date: soon, end_date: soon, venue: `V ${attack}` },
            'admin',
          );
        const trouble: string[] = [];
        try {
          const own = await browser.newPage();
          own.on('dialog', (dialog) => {
            trouble.push('dialog on our own page');
            void dialog.dismiss();
          });
          for (const path of ['/', '/docs', '/de/docs', '/ar/docs']) {
            const answer = await own.goto(named.home + path);
            const policy = answer?.headers()['content-security-policy'] ?? '';
            assert.ok(/default-src 'none'/.test(policy) && !/unsafe/.test(policy), policy);
            await own.waitForTimeout(path === '/docs' ? 1500 : 200);
            assert.equal(await own.locator('img[src="x"], script:not([src])').count(), 0, path);
          }
          assert.deepEqual(trouble, []);
        } finally {
          await named.close();
        }
      });
    });
  },
  { KALENDS_LOG_LEVEL: 'silent' },
);
