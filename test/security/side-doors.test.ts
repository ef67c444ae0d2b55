import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { idsIn } from '../support/rows.js';
import type { Reply } from '../support/server.js';
import {
  begin,
  behind,
  files,
  hidden,
  ids,
  inside,
  LOW,
  lists,
  PAGES,
  past,
  plain,
  s,
  shut,
  singles,
  soon,
  type Word,
} from './side-doors.records.js';
import { Findings, listRoutes, nameOf, ROUTES, WHO } from './support.js';

/**
 * Row "protected content leaks by a side door": hidden records hold a word of their own in every text field. Whatever is
 * asked, by whom it is not for, none of these words comes back, no search finds them, and lists are what they were before.
 */

before(begin);
after(() => s.close());

describe('side doors', () => {
  const leaks = (reply: Reply, url: string, words: Word[]): Word[] => {
    const all = (JSON.stringify([...reply.headers]) + reply.text).toLowerCase();
    return words.filter(({ word }) => all.includes(word) && !url.includes(word));
  };

  for (const who of WHO) {
    const isLow = LOW.includes(who as undefined);
    test(`nothing hidden comes back to ${nameOf(who)}, wherever it looks`, async () => {
      const found = new Findings();
      const simple = ROUTES.map(({ path }) => path).filter((path) => !path.includes(':'));
      const urls = [...PAGES, ...simple, ...lists(who), ...singles()];
      // Editors see all but what a password closes, and that too when they ask to edit.
      const words = isLow ? [...hidden, ...behind] : behind;
      const seen = isLow ? urls : urls.filter((url) => !url.includes('context=edit') && !url.includes('media'));
      for (const url of seen) {
        for (const method of url.includes('?') ? ['GET'] : ['GET', 'HEAD', 'OPTIONS']) {
          const reply = await s.ask(method, url, { as: who });
          found.check(reply.status < 500, () => `${method} ${url}: ${reply.status}`);
          for (const { where } of leaks(reply, url, words)) found.check(false, () => `${method} ${url}: ${where}`);
        }
      }
      found.end(200);
    });

    if (isLow)
      test(`refused writes of ${nameOf(who)} tell nothing`, async () => {
        const found = new Findings();
        for (const kind of ['events', 'venues', 'organizers', 'media'] as const) {
          for (const id of [...ids[kind], ...(kind === 'events' ? [shut.id] : [])]) {
            for (const [method, json] of [
              ['PATCH', { description: 'x' }],
              ['PUT', {}],
              ['POST', { status: 'publish' }],
              ['DELETE', {}],
              ['DELETE', { force: true }],
            ] as const) {
              const reply = await s.ask(method, `/${kind}/${id}`, { as: who, json });
              found.check([401, 403].includes(reply.status), () => `${method} /${kind}/${id}: ${reply.status}`);
              for (const { where } of leaks(reply, '', [...hidden, ...behind]))
                found.check(false, () => `${method} /${kind}/${id}: ${where}`);
            }
          }
        }
        const on = { title: 'Mine', start_date: soon(5), end_date: soon(5) };
        for (const json of [
          { venue: ids.venues[0] },
          { organizer: ids.organizers[0] },
          { image: ids.media[0] },
          { image: files[0] },
          { post_parent: ids.events[0] },
          { post_parent: shut.id },
        ]) {
          const reply = await s.post('/events', { ...on, ...json }, who);
          found.check([400, 401, 403].includes(reply.status), () => `POST ${JSON.stringify(json)}: ${reply.status}`);
          for (const { where } of leaks(reply, JSON.stringify(json), [...hidden, ...behind]))
            found.check(false, () => `POST ${JSON.stringify(json)}: ${where}`);
        }
        found.end(40);
      });

    test(`search is no oracle for ${nameOf(who)}`, async () => {
      const found = new Findings();
      for (const { word, where } of isLow ? [...hidden, ...behind] : behind) {
        for (const { path, params } of listRoutes()) {
          if (!params.includes('search')) continue;
          const more = path === '/events' ? '&start_date=2000-01-01&end_date=2050-01-01' : '';
          const reply = await s.get(path, `search=${word}${more}`, who);
          found.check(reply.json.total === 0, () => `${path}?search=(${where}): ${reply.json.total}`);
        }
      }
      found.end(40);
    });
  }

  test('lists are byte for byte what they were before anything was hidden', async () => {
    const found = new Findings();
    for (const who of LOW) {
      for (const url of lists(who)) {
        const now = plain(await s.get(url, undefined, who));
        const was = past.get(`${who} ${url}`);
        found.check(now === was, () => `${url} as ${nameOf(who)}:\n${was?.slice(0, 300)}\n${now.slice(0, 300)}`);
      }
    }
    found.end(200);
  });

  test('no filter by what is inside a protected event finds it, but for those who may edit it (E4)', async () => {
    const found = new Findings();
    for (const who of [...LOW, 'admin'] as const) {
      for (const query of inside()) {
        const listed = idsIn(await s.get('/events', query, who), 'events').includes(shut.id);
        found.check(listed === (who === 'admin'), () => `/events?${query} as ${nameOf(who)}: ${listed}`);
      }
    }
    found.end(40);
  });

  test('the crawl would see a leak: an administrator meets nearly every word', async () => {
    let all = '';
    for (const url of [...lists('admin'), ...singles().filter((one) => !one.startsWith('http'))])
      all += (await s.get(`${url}${url.includes('?') ? '&' : '?'}context=edit&per_page=50`, undefined, 'admin')).text;
    const missing = [...hidden, ...behind].filter(({ word }) => !all.includes(word));
    assert.deepEqual(
      missing.map(({ where }) => where).filter((where) => !/trash/.test(where)),
      [],
    );
  });
});
