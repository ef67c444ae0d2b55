import type { Reply, RoleName, TestServer } from './server.js';

/** A reader with a browser, as far as signing in goes: keeps the cookie, and fills in the form that it was given. */
export interface Browser {
  cookie: string | undefined;
  get: (path: string, headers?: Record<string, string>) => Promise<Reply>;
  post: (path: string, form: Record<string, string>, headers?: Record<string, string>) => Promise<Reply>;
  /** The token on a page. */
  tokenAt: (path: string) => Promise<string>;
  signIn: (as: RoleName, given?: { password?: string; to?: string }) => Promise<Reply>;
  signOut: () => Promise<Reply>;
}

export function browserAt(s: TestServer): Browser {
  const ask = async (
    method: string,
    path: string,
    given: { form?: Record<string, string> },
    more: Record<string, string> = {},
  ) => {
    const headers: Record<string, string> = { accept: 'text/html', ...more };
    if (browser.cookie !== undefined) headers.cookie = browser.cookie;
    const reply = await s.ask(method, `~${path}`, { ...given, headers });
    for (const set of reply.headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      browser.cookie = /Max-Age=0\b/i.test(set) ? undefined : pair;
    }
    return reply;
  };
  const browser: Browser = {
    cookie: undefined,
    get: (path, headers) => ask('GET', path, {}, headers),
    post: (path, form, headers) => ask('POST', path, { form }, headers),
    tokenAt: async (path) => /name="token" value="([^"]+)"/.exec((await browser.get(path)).text)?.[1] ?? '',
    async signIn(as, { password, to = '' } = {}) {
      const token = await browser.tokenAt('/sign-in');
      const user = s.users[as];
      return browser.post('/sign-in', { token, to, username: user.username, password: password ?? user.password });
    },
    signOut: async () => browser.post('/sign-out', { token: await browser.tokenAt('/') }),
  };
  return browser;
}
