import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { picture } from '../security/support.js';
import { missing, startChromium } from '../support/chromium.js';
import { must } from '../support/rows.js';
import { startServer, type TestServer } from '../support/server.js';

/** Entering an event, and a month, in a real browser. What the forms do: behaviour/forms. */

declare const document: { documentElement: { scrollWidth: number; clientWidth: number } };

describe('forms in a browser', { skip: missing }, () => {
  let server: TestServer;
  let browser: Browser;
  before(async () => {
    server = await startServer({ KALENDS_LOG_LEVEL: 'silent' });
    browser = await startChromium();
    for (let n = 0; n < 30; n++) await must(server.post('/categories', { name: `Category number ${n}` }, 'admin'));
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  /** Signed in, without scripts, and what goes wrong in it. */
  async function signedIn(path: string, width = 900): Promise<{ page: Page; trouble: string[] }> {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width, height: 800 } });
    const page = await context.newPage();
    const trouble: string[] = [];
    page.on('console', (message) => message.type() === 'error' && trouble.push(message.text()));
    page.on('requestfailed', (request) => {
      // Whoever goes on does not wait for the pictures of a page.
      const reason = request.failure()?.errorText;
      if (reason !== 'net::ERR_ABORTED') trouble.push(`failed: ${request.url()} (${reason})`);
    });
    await page.goto(server.home + path);
    await page.getByLabel('User name').fill(server.users.admin.username);
    await page.getByLabel('Application password').fill(server.users.admin.password);
    await page.keyboard.press('Enter');
    await page.waitForURL(server.home + path);
    return { page, trouble };
  }

  test('whoever is led to sign in comes back to the form, fills it in, is told what is wrong, and sees the event', async () => {
    const { page, trouble } = await signedIn('/events/new');
    await page.getByLabel('Title').fill('Boats & "more"');
    await page.getByLabel('Starts', { exact: true }).fill('2031-05-05');
    await page.getByLabel('Starts: Time').fill('10:00');
    await page.getByLabel('Ends', { exact: true }).fill('2031-05-05');
    await page.getByRole('button', { name: 'Save' }).click();
    assert.match((await page.getByRole('alert').textContent()) ?? '', /give the times as well/);
    await page.getByLabel('Ends: Time').fill('09:00');
    await page.getByLabel('Where').fill('Quay 12');
    await page.getByLabel('Category number 7').check();
    await page.getByLabel('Description').fill('Boats.\n\nAnd more boats.');
    await page.getByRole('button', { name: 'Save' }).click();
    assert.match((await page.getByRole('alert').textContent()) ?? '', /The end lies before the start/);
    assert.equal(await page.getByLabel('Ends', { exact: true }).getAttribute('aria-invalid'), 'true');
    assert.ok(await page.getByLabel('Category number 7').isChecked());
    assert.equal(await page.getByLabel('Description').inputValue(), 'Boats.\n\nAnd more boats.');
    await page.getByLabel('Ends: Time').fill('12:00');
    const file = { name: 'boat.png', mimeType: 'image/png', buffer: await picture(60, 40) };
    await page.getByLabel('Picture', { exact: true }).setInputFiles(file);
    await page.getByRole('button', { name: 'Save' }).click();
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Boats & "more"');
    assert.equal(await page.locator('img.picture').count(), 1);
    await page.locator('img.picture').evaluate((image: { decode(): Promise<void> }) => image.decode());
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByRole('button', { name: 'Move to the trash' }).click();
    assert.equal(page.url(), `${server.home}/events/trash?done=trashed`);
    assert.equal(await page.getByRole('status').textContent(), 'Moved to the trash.');
    await page.getByRole('button', { name: 'Restore as a draft: Boats & "more"' }).click();
    assert.equal(await page.getByLabel('Status').inputValue(), 'draft');
    await page.getByRole('link', { name: 'Unpublished' }).click();
    await page.getByRole('link', { name: 'Boats & "more"' }).click();
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Boats & "more"');
    // That a form was refused is no trouble of the page.
    assert.deepEqual(
      trouble.filter((one) => !/400/.test(one)),
      [],
    );
    await page.context().close();
  });

  test('every control has a label, and nothing is wider than a narrow screen', async () => {
    const event = { title: 'Long'.repeat(40), start_date: '2031-06-01', end_date: '2031-06-20' };
    const { id } = await must(server.post('/events', event, 'admin'));
    const { page } = await signedIn('/events/new', 320);
    await must(server.del(`/events/${(await must(server.post('/events', event, 'admin'))).id}`, 'admin'), 200);
    const paths = ['/events/month/2031-06/', '/ar/events/month/2031-06/', '/events/unpublished', '/ar/events/trash'];
    for (const path of ['/events/new', `/event/edit/${id}`, ...paths]) {
      await page.goto(server.home + path);
      const nameless = await page
        .locator('main :is(input:not([type=hidden]), textarea, select)')
        .evaluateAll((all) =>
          (all as unknown as { name: string; labels: { length: number } | null }[])
            .filter((one) => !one.labels?.length)
            .map((one) => one.name),
        );
      assert.deepEqual(nameless, [], path);
      const [wide = 0, screen = 0] = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        document.documentElement.clientWidth,
      ]);
      assert.ok(wide > 0 && wide <= screen, `${path}: ${wide} > ${screen}`);
    }
    await page.context().close();
  });
});
