import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { missing, startChromium } from '../support/chromium.js';
import { startServer, type TestServer } from '../support/server.js';

/** The documentation page in a real browser that reaches nothing but this server. */

// What runs inside the page; the tests themselves know no browser.
declare const window: { addEventListener(name: string, then: (event: { violatedDirective: string }) => void): void };
declare const console: { error(text: string): void; log(text: string): void };
declare const document: {
  activeElement: { className: string; closest(selector: string): { id: string } | null } | null;
  documentElement: { scrollWidth: number; clientWidth: number };
};
declare const location: { hash: string };
interface Style {
  direction: string;
  color: string;
  backgroundColor: string;
  width: string;
  height: string;
}
declare const getComputedStyle: (element: unknown, part?: string) => Style;

interface Opened {
  page: Page;
  /** Errors on the console, of scripts, of the network, of the content policy; and requests to elsewhere. */
  trouble: string[];
}

interface Shown {
  className: string;
  textContent: string | null;
  parentElement: Shown | null;
  getClientRects(): { length: number };
}

/** In the page: how far each text stands out from what is behind it (WCAG 2.2, 1.4.3), and how light that is. */
function contrasts(elements: unknown[]): { text: string; contrast: number; paper: number }[] {
  const parts = (color: string): number[] => (color.match(/[\d.]+/g) ?? []).map(Number);
  const linear = (value: number): number => (value <= 10 ? value / 3295 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([r = 0, g = 0, b = 0]: number[]): number =>
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const over = (color: string, under: number[]): number[] => {
    const [r = 0, g = 0, b = 0, alpha = 1] = parts(color);
    return [r, g, b].map((value, at) => value * alpha + (under[at] ?? 0) * (1 - alpha));
  };
  const behind = (one: Shown | null): number[] =>
    one ? over(getComputedStyle(one).backgroundColor, behind(one.parentElement)) : [255, 255, 255];
  const seen = (elements as Shown[]).filter((one) => one.textContent?.trim() && one.getClientRects().length > 0);
  return seen.map((one) => {
    const paper = behind(one);
    const [low = 0, high = 0] = [light(over(getComputedStyle(one).color, paper)), light(paper)].sort((a, b) => a - b);
    return { text: `${one.className} ${one.textContent}`, contrast: (high + 0.05) / (low + 0.05), paper: light(paper) };
  });
}

const textOf = async (found: Locator): Promise<string> => (await found.first().textContent()) ?? '';

describe('the documentation page', { skip: missing }, () => {
  let server: TestServer;
  let browser: Browser;
  before(async () => {
    server = await startServer({ KALENDS_LOG_LEVEL: 'silent' });
    browser = await startChromium();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  async function open(url: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Opened> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const trouble: string[] = [];
    const { host } = new URL(url);
    page.on('console', (message) => {
      if (message.type() === 'error') trouble.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => trouble.push(`script: ${error.message}`));
    page.on('requestfailed', (request) => trouble.push(`failed: ${request.url()}`));
    page.on('response', (answer) => {
      if (answer.status() >= 400) trouble.push(`${answer.status()}: ${answer.url()}`);
    });
    page.on('request', (request) => {
      const asked = new URL(request.url());
      if (/^(https?|wss?):$/.test(asked.protocol) && asked.host !== host) trouble.push(`elsewhere: ${request.url()}`);
    });
    await page.addInitScript(() => {
      window.addEventListener('securitypolicyviolation', (event) =>
        console.error(`content policy: ${event.violatedDirective}`),
      );
    });
    await page.goto(url);
    return { page, trouble };
  }

  for (const host of ['127.0.0.1', 'localhost']) {
    test(`opened at ${host}: it renders, and "try it" answers`, async () => {
      const { page, trouble } = await open(server.home.replace('127.0.0.1', host).concat('/docs'));
      await page.waitForSelector('#swagger .opblock-tag');
      assert.equal(await page.title(), 'Interface of Kalends');
      assert.ok((await page.locator('#swagger .opblock-tag').count()) >= 6);
      await page.locator('#operations-tag-events').click();
      assert.ok((await page.locator('article pre').count()) > 30);
      const operation = page.locator('[id="operations-events-listEvents"]');
      await operation.locator('.opblock-summary-control').click();
      await operation.locator('button.execute').click();
      await operation.locator('.live-responses-table tbody').waitFor();
      assert.match(await textOf(operation.locator('.live-responses-table tbody .response-col_status').first()), /^200/);
      const body = await textOf(operation.locator('.live-responses-table .response-col_description pre').first());
      assert.match(body, /"total": 0/);
      assert.deepEqual(trouble, []);
      await page.context().close();
    });
  }

  test('the page is right-to-left in Arabic, and its reference is in Arabic whatever the browser prefers', async () => {
    const { page, trouble } = await open(`${server.home}/ar/docs`, { locale: 'en-US' });
    await page.locator('#operations-tag-events').click();
    const [direction, code] = await Promise.all([
      page.locator('header h1').evaluate((element) => getComputedStyle(element).direction),
      page
        .locator('article pre')
        .first()
        .evaluate((element) => getComputedStyle(element).direction),
    ]);
    assert.deepEqual([direction, code], ['rtl', 'ltr']);
    assert.match(await textOf(page.locator('header h1')), /\p{Script=Arabic}/u);
    assert.match(await textOf(page.locator('#swagger .opblock-summary-description').first()), /\p{Script=Arabic}/u);
    assert.deepEqual(trouble, []);
    await page.context().close();
  });

  test('the first key press reaches the link that skips to the examples, and it works', async () => {
    const { page, trouble } = await open(`${server.home}/docs`);
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement?.className), 'skip');
    assert.ok(((await page.locator('.skip').first().boundingBox())?.x ?? -1) >= 0);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.hash === '#cookbook');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement?.closest('article')?.id), 'upcoming');
    assert.deepEqual(trouble, []);
    await page.context().close();
  });

  test('an address within the page leads there', async () => {
    const { page, trouble } = await open(`${server.home}/docs#near-me`);
    await page.locator('#operations-tag-events').waitFor();
    assert.equal(await page.evaluate(() => location.hash), '#near-me');
    assert.ok(await page.locator('#near-me h3').evaluate((element) => element.getBoundingClientRect().top < 300));
    assert.deepEqual(trouble, []);
    await page.context().close();
  });

  test('a table of contents leads to the examples and to the reference', async () => {
    const { page, trouble } = await open(`${server.home}/docs`);
    await page.locator('#operations-tag-events').waitFor();
    for (const id of ['reference', 'cookbook']) {
      await page.locator(`header nav a[href="#${id}"]`).click();
      await page.waitForFunction((hash) => location.hash === hash, `#${id}`);
      assert.ok(await page.locator(`#${id}`).evaluate((element) => element.getBoundingClientRect().top < 300), id);
    }
    assert.deepEqual(trouble, []);
    await page.context().close();
  });

  test('the code of examples is set off, and what the reference says in between is not', async () => {
    const { page } = await open(`${server.home}/docs`);
    await page.locator('#operations-tag-events').waitFor();
    const paper = (found: Locator) => found.first().evaluate((element) => getComputedStyle(element).backgroundColor);
    assert.notEqual(await paper(page.locator('#upcoming pre')), 'rgba(0, 0, 0, 0)');
    assert.equal(await paper(page.locator('#swagger .info pre.version')), 'rgba(0, 0, 0, 0)');
    await page.context().close();
  });

  test('while the reference is loading, it says so on one line', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.route('**/openapi.json', () => {});
    await page.goto(`${server.home}/docs`);
    await page.locator('#swagger .loading-container').first().waitFor();
    const word = page.locator('#swagger .loading').first();
    const { width, height } = await word.evaluate((element) => {
      const style = getComputedStyle(element, '::after');
      return { width: Number.parseFloat(style.width), height: Number.parseFloat(style.height) };
    });
    assert.ok(width > 2 * height, `${width} x ${height}`);
    await context.close();
  });

  for (const colorScheme of ['light', 'dark'] as const)
    test(`${colorScheme}: its texts and those of the reference stand out from what is behind them`, async () => {
      const { page, trouble } = await open(`${server.home}/docs`, { colorScheme });
      await page.locator('#operations-tag-events').click();
      const operation = page.locator('[id="operations-events-deleteEvent"]');
      await operation.locator('.opblock-summary-control').click();
      await operation.locator('button.execute').waitFor();
      const found = await page.locator('body :not(:has(*), script, noscript, option)').evaluateAll(contrasts);
      assert.ok(found.length > 300, `${found.length} texts`);
      const faint = found.filter(({ contrast }) => contrast < 4.5);
      assert.deepEqual(faint, []);
      const paper = found[0]?.paper ?? 0;
      assert.ok(colorScheme === 'dark' ? paper < 0.1 : paper > 0.9, `${paper}`);
      assert.deepEqual(trouble, []);
      await page.context().close();
    });

  test('languages can be chosen by their own names', async () => {
    const { page } = await open(`${server.home}/docs`);
    assert.equal(await page.locator('nav a[hreflang]').count(), 11);
    await page.locator('nav a[lang=de]').click();
    assert.ok(page.url().endsWith('/de/docs'));
    assert.equal(await textOf(page.locator('nav a[aria-current]')), 'Deutsch');
    assert.equal(await page.locator('html').getAttribute('lang'), 'de');
    await page.context().close();
  });

  test('on a narrow screen nothing but code is wider than the screen', async () => {
    const { page } = await open(`${server.home}/docs`, { viewport: { width: 360, height: 740 } });
    await page.locator('#operations-tag-events').click();
    const { wide, screen } = await page.evaluate(() => ({
      wide: document.documentElement.scrollWidth,
      screen: document.documentElement.clientWidth,
    }));
    assert.ok(wide <= screen, `${wide} > ${screen}`);
    await page.context().close();
  });

  test('without scripts the examples are there, and the page says where the reference is', async () => {
    const { page } = await open(`${server.home}/docs`, { javaScriptEnabled: false });
    assert.ok((await page.locator('article pre').count()) > 30);
    assert.match(await textOf(page.locator('noscript')), /openapi\.json/);
    await page.context().close();
  });
});
