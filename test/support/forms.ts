import assert from 'node:assert/strict';
import { type Browser, browserAt } from './browser.js';
import { must } from './rows.js';
import type { Reply, RoleName, TestServer } from './server.js';

/** Forms on pages, as a browser fills them in. */

const SIGNS: Record<string, string> = { quot: '"', amp: '&', lt: '<', gt: '>', '#39': "'" };
const unescaped = (html: string): string => html.replace(/&(quot|amp|lt|gt|#39);/g, (_, name) => SIGNS[name] ?? '');

/** What the form on a page would send if nobody touched it. */
export function formIn(text: string): Record<string, string> {
  const form: Record<string, string> = {};
  const [, body = ''] = /<form method="post" enctype[^>]*>(.*?)<\/form>/s.exec(text) ?? [];
  for (const [tag] of body.matchAll(/<input[^>]*>/g)) {
    const [name, value] = ['name', 'value'].map((one) => new RegExp(`\\b${one}="([^"]*)"`).exec(tag)?.[1] ?? '');
    const list = /^(\w+)\[\]$/.exec(name ?? '')?.[1];
    if (list && !/type="/.test(tag)) form[list] = [form[list], unescaped(value ?? '')].filter(Boolean).join('\n');
    else if (name && !/type="(file|checkbox)"/.test(tag)) form[name] = unescaped(value ?? '');
    if (name && / checked/.test(tag)) form[name] = unescaped(value ?? '');
  }
  for (const [, name = '', value = ''] of body.matchAll(/<textarea name="([^"]*)"[^>]*>\n(.*?)<\/textarea>/gs))
    form[name] = unescaped(value);
  for (const name of ['start_date', 'end_date']) {
    const time = form[`${name}_time`];
    if (time) form[name] += `T${time}`;
    delete form[`${name}_time`];
  }
  for (const [, name = '', choice = ''] of body.matchAll(/<select name="([^"]*)"[^>]*>(.*?)<\/select>/gs))
    form[name] = /<option value="([^"]*)" selected>/.exec(choice)?.[1] ?? '';
  return form;
}

/** With what is changed; the rest is sent as it was shown. */
export async function fill(browser: Browser, path: string, changed: Record<string, string>): Promise<Reply> {
  const { status, text } = await browser.get(path);
  assert.equal(status, 200, path);
  const sent = Object.entries({ ...formIn(text), ...changed });
  // So browsers end lines.
  return browser.post(path, Object.fromEntries(sent.map(([name, one]) => [name, one.replace(/\r?\n/g, '\r\n')])));
}

/** As browsers write them. */
export const TIMES = { start_date: '2031-03-05T19:30', end_date: '2031-03-05T21:00' };

/** Signed-in browsers, and the event as the API shows it to those who edit it. */
export const writersAt = (s: TestServer) => ({
  async as(role: RoleName): Promise<Browser> {
    const browser = browserAt(s);
    await browser.signIn(role);
    return browser;
  },
  asShown: (id: number) => must(s.ask('GET', `/events/${id}`, { query: { context: 'edit' }, as: 'admin' }), 200),
});
