import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listCredentials } from '../../src/accounts/credential.store.js';
import { addSession, forgetSessions } from '../../src/accounts/session.store.js';
import { removeUser } from '../../src/accounts/user.store.js';
import { below, browserAt, SOON } from '../support/browser.js';
import { behaviour, eventually, makeEvent, must } from '../support/rows.js';
import { type RoleName, startServer } from '../support/server.js';

/** Row "cross-site requests": cookies only with SameSite and a token, and the interface takes none (E6). */

behaviour('sessions of pages', async (s) => {
  const draft = await makeEvent(s, { ...SOON, title: 'Only a draft', status: 'draft' });
  const sees = async (cookie: string): Promise<boolean> =>
    (await s.ask('GET', `~${below(draft.url)}`, { headers: { cookie } })).status === 200;
  const hashesOf = (role: RoleName): Promise<{ hash: string }[]> =>
    s.database.read((db) =>
      db.all(
        db.q
          .selectFrom('session')
          .innerJoin('credential', 'credential.id', 'session.credential_id')
          .select('session.hash')
          .where('credential.user_id', '=', s.users[role].id),
      ),
    );
  const name = `kalends-session-${new URL(s.home).port}`;

  test('the cookie is for this site and its pages alone', async () => {
    const browser = browserAt(s);
    const form = (await browser.get('/sign-in')).headers.getSetCookie();
    assert.match(form.join('\n'), /^kalends-form-\d+=[A-Za-z0-9]{40}; Path=\/; HttpOnly; SameSite=Lax$/);
    const set = (await browser.signIn('admin')).headers.getSetCookie();
    assert.match(
      set.join('\n'),
      /^kalends-session-\d+=[A-Za-z0-9]{40}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });

  test('the interface takes no session: neither to read nor to write', async () => {
    const browser = browserAt(s);
    await browser.signIn('admin');
    const headers = { cookie: browser.cookie() };
    const title = { json: { title: 'By cookie', ...SOON } };
    assert.equal((await s.ask('GET', `/events/${draft.id}`, { headers })).status, 403);
    assert.equal((await s.ask('POST', '/events', { headers, ...title })).status, 401);
    assert.equal((await s.ask('DELETE', `/events/${draft.id}`, { headers })).status, 401);
    assert.equal((await s.ask('GET', '/users/me', { headers })).json.authenticated, false);
    const token = await browser.tokenAt('/');
    assert.equal((await s.ask('GET', '/events', { headers: { ...headers, 'x-wp-nonce': token } })).status, 403);
  });

  test('nobody is signed in or out by a form of another site', async () => {
    const { username, password } = s.users.admin;
    const foreign = await browserAt(s).tokenAt('/sign-in');
    for (const token of ['', foreign, 'a'.repeat(64)]) {
      const stranger = browserAt(s);
      await stranger.get('/sign-in');
      assert.equal((await stranger.post('/sign-in', { token, username, password })).status, 403);
      assert.ok(!stranger.cookies.has(name));
    }
    const browser = browserAt(s);
    await browser.signIn('admin');
    for (const token of ['', foreign]) {
      // Sent by a page of another site, it comes without the cookie; an older browser sends it along.
      for (const cookie of [browser.cookie(), '']) {
        const sent = { cookie };
        await browser.post('/sign-out', { token }, sent);
        await browser.post('/sign-in', { token, username, password }, sent);
        await browser.post('/sign-in?_method=GET', { token }, sent);
        assert.ok(await sees(`${name}=${browser.cookies.get(name)}`));
      }
    }
  });

  test('nothing is written for whoever is not signed in', async () => {
    const browser = browserAt(s);
    const token = await browser.tokenAt('/sign-in');
    const [[, secret = ''] = []] = browser.cookies;
    browser.cookies.set(name, secret);
    s.sqlSeen();
    assert.equal((await browser.post('/sign-out', { token })).status, 303);
    assert.deepEqual(
      s.sqlSeen().filter((text) => /delete from "session" where "hash"/i.test(text)),
      [],
    );
  });

  test('a password that serves on pages is one that is used', async () => {
    const browser = browserAt(s);
    await browser.signIn('editor');
    const used = () =>
      s.database.read((db) =>
        db.first(db.q.selectFrom('credential').select('last_used_at').where('user_id', '=', s.users.editor.id)),
      );
    await eventually(async () => ((await used())?.last_used_at ? true : undefined));
    await s.database.write((db) => db.run(db.q.updateTable('credential').set({ last_used_at: null })));
    await browser.get('/');
    await eventually(async () => ((await used())?.last_used_at ? true : undefined));
  });

  test('a cookie that was there before signing in opens nothing afterwards', async () => {
    const browser = browserAt(s);
    const planted = 'planted'.padEnd(40, 'x');
    browser.cookies.set(name, planted);
    await browser.get('/sign-in');
    const form = [...browser.cookies].find(([name]) => name.includes('form'))?.[1];
    await browser.signIn('admin');
    assert.ok(await sees(browser.cookie()));
    for (const secret of [planted, form]) assert.ok(!(await sees(`${name}=${secret}`)));
  });

  test('what is no secret of ours opens nothing, and hides none that is', async () => {
    for (const value of ['', 'x', '%00', 'a'.repeat(40), 'a'.repeat(4000), '%E0%A4%A', '"quoted"', '__proto__'])
      assert.ok(!(await sees(`${name}=${value}`)), value);
    assert.ok(!(await sees(`__proto__=1; constructor=2; ${name}`)));
    const browser = browserAt(s);
    await browser.signIn('admin');
    assert.ok(await sees(`${name}=x; a=b; ${browser.cookie()}`));
  });

  test('who may do less from now on sees less from now on', async () => {
    const browser = browserAt(s);
    await browser.signIn('editor');
    const { id } = s.users.editor;
    assert.ok(await sees(browser.cookie()));
    const become = (role: 'editor' | 'subscriber') =>
      s.database.write((db) => db.run(db.q.updateTable('user').set({ role }).where('id', '=', id)));
    await become('subscriber');
    assert.ok(!(await sees(browser.cookie())));
    await become('editor');
  });

  test('it ends with the password, with the user and with its time', async () => {
    for (const end of ['password', 'user', 'time']) {
      const made = await startServer({ KALENDS_LOG_LEVEL: 'silent' });
      try {
        const hidden = await makeEvent(made, { ...SOON, title: 'Draft', status: 'draft' });
        const browser = browserAt(made);
        await browser.signIn('editor');
        assert.equal((await browser.get(below(hidden.url))).status, 200, end);
        const { id, username } = made.users.editor;
        await made.database.write(async (db) => {
          if (end === 'user') await removeUser(db, { id, username, role: 'editor' }, 1);
          if (end === 'time') await db.run(db.q.updateTable('session').set({ expires_at: 1 }));
          if (end === 'password')
            await db.run(db.q.updateTable('credential').set({ revoked_at: 1 }).where('user_id', '=', id));
        });
        assert.equal((await browser.get(below(hidden.url))).status, 404, end);
      } finally {
        await made.close();
      }
    }
  });

  test('it leads nowhere but to this site', async () => {
    const places = [
      'https://evil.test/',
      '//evil.test',
      '/\\evil.test',
      '/\t/evil.test',
      '/.//evil.test',
      '\\\\evil.test',
    ];
    for (const to of [...places, 'javascript:alert(1)', '/%0d%0aSet-Cookie:a=b/..//evil.test']) {
      const location = (await browserAt(s).signIn('admin', { to })).headers.get('location') ?? '';
      assert.equal(new URL(location, 'http://town.example').host, 'town.example', `${to} led to ${location}`);
    }
  });

  test('what is asked is shown as text', async () => {
    const browser = browserAt(s);
    const token = await browser.tokenAt('/sign-in');
    const evil = '"><script>alert(1)</script>';
    const { text } = await browser.post(`/sign-in?to=${encodeURIComponent(evil)}`, { token, username: evil, to: evil });
    assert.ok(!text.includes('<script>alert'), text);
  });

  test('secrets are kept as hashes, stay out of the log, and are not without end', async () => {
    const browser = browserAt(s);
    // The form of somebody who is signed in already, in another tab.
    const form = { token: await browser.tokenAt('/sign-in'), ...s.users.author };
    for (let n = 0; n < 3; n++)
      assert.equal((await browser.post('/sign-in', { ...form, id: String(form.id) })).status, 303);
    const secret = browser.cookies.get(name) ?? '';
    const own = await hashesOf('author');
    assert.equal(own.length, 1, 'signing in again ends the session before');
    assert.ok(own.every(({ hash }) => /^[0-9a-f]{64}$/.test(hash) && hash !== secret));
    assert.ok(!s.logs.some((line) => line.includes(secret) || line.includes(s.users.author.password)));
    for (let n = 0; n < 30; n++) {
      const another = browserAt(s);
      await another.signIn('contributor');
      assert.match((await another.get('/')).text, /Signed in as/, 'the newest is never the one that goes');
    }
    assert.equal((await hashesOf('contributor')).length, 20);
  });

  test('of too many the oldest end, and what is over is forgotten', async () => {
    const [own] = await s.database.read((db) => listCredentials(db, 'password', s.users.subscriber.id));
    const names = Array.from({ length: 22 }, (_, n) => `h${10 + n}`);
    const left = async () => (await hashesOf('subscriber')).map(({ hash }) => hash).sort();
    for (const [n, hash] of names.entries())
      await s.database.write((db) =>
        addSession(db, { hash, credential_id: own?.id ?? 0, expires_at: 2_000_000_000 + n }),
      );
    assert.deepEqual(await left(), names.slice(2));
    await s.database.write((db) => forgetSessions(db, 2_000_000_020));
    assert.deepEqual(await left(), names.slice(-1));
  });
});

behaviour(
  'sessions of pages, over a safe connection',
  async (s) => {
    test('the cookie is for this very host, and never sent in the clear', async () => {
      const { headers } = await browserAt(s).signIn('admin');
      assert.match(
        headers.get('set-cookie') ?? '',
        /^__Host-kalends-session=\w{40}; Max-Age=\d+; Path=\/; HttpOnly; Secure; /,
      );
    });
  },
  { KALENDS_PUBLIC_URL: 'https://town.example' },
);

behaviour(
  'sessions of pages, behind a trusted proxy',
  async (s) => {
    test('the cookie is as safe as the connection that it names', async () => {
      const forwarded = { 'x-forwarded-host': 'town.example', 'x-forwarded-proto': 'https' };
      const { headers } = await browserAt(s).get('/sign-in', forwarded);
      assert.match(headers.get('set-cookie') ?? '', /^__Host-kalends-form=\w{40}; Path=\/; HttpOnly; Secure; /);
      const plain = await browserAt(s).get('/sign-in');
      assert.match(plain.headers.get('set-cookie') ?? '', /^kalends-form-\d+=\w{40}; Path=\/; HttpOnly; SameSite/);
    });
  },
  { KALENDS_TRUSTED_PROXIES: '127.0.0.1' },
);

behaviour(
  'sessions of pages, over a safe connection below a path',
  async (s) => {
    test('the cookie is never sent in the clear', async () => {
      const { headers } = await browserAt(s).signIn('admin');
      const set = headers.get('set-cookie') ?? '';
      assert.match(set, /^__Secure-kalends-session=\w{40}; Max-Age=\d+; Path=\/events-of; HttpOnly; Secure; /);
    });
  },
  { KALENDS_PUBLIC_URL: 'https://town.example/events-of' },
);

behaviour(
  'guessing on pages',
  async (s) => {
    test('counts as it does in the interface, and is told with a page', async () => {
      const browser = browserAt(s);
      for (let n = 0; n < 3; n++) assert.equal((await browser.signIn('admin', { password: 'guess' })).status, 403);
      const { status, headers, text } = await browser.signIn('admin');
      assert.equal(status, 429);
      assert.ok(Number(headers.get('retry-after')) > 0);
      assert.match(text, /role="alert"/);
      assert.equal((await s.get('/users/me', {}, 'admin')).status, 429);
      await must(s.get('/users/me', {}, 'editor'), 200);
      const event = await must(s.post('/events', { ...SOON, title: 'Closed', password: 'word' }, 'editor'));
      for (let n = 0; n < 3; n++) await browser.post(below(event.url), { password: 'guess' });
      const limited = await browser.post(below(event.url), { password: 'word' });
      assert.equal(limited.status, 429);
      assert.ok(Number(limited.headers.get('retry-after')) > 0);
    });
  },
  { KALENDS_SIGN_IN_LIMIT: '3' },
);
