import type { Reply, RoleName, TestServer } from './server.js';

/** A reader with a browser, as far as signing in goes: keeps cookies, and fills in the form that it was given. */
export interface Browser {
  cookies: Map<string, string>;
  /** What it sends; or what it is told to, whatever it has. */
  cookie: () => string;
  get: (path: string, headers?: Record<string, string>) => Promise<Reply>;
  post: (path: string, form: Record<string, string>, headers?: Record<string, string>) => Promise<Reply>;
  /** The token on a page. */
  tokenAt: (path: string) => Promise<string>;
  signIn: (as: RoleName, given?: { password?: string; to?: string }) => Promise<Reply>;
  signOut: () => Promise<Reply>;
}

/** The address of a record's page, below the host. */
export const below = (url: string): string => new URL(url).pathname + new URL(url).search;

export const SOON = { start_date: '+2 days 19:00', end_date: '+2 days 21:00' };

export function browserAt(s: TestServer): Browser {
  const cookies = new Map<string, string>();
  const cookie = (): string => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const ask = async (
    method: string,
    path: string,
    form?: Record<string, string>,
    more: Record<string, string> = {},
  ) => {
    const headers = { accept: 'text/html', ...(cookies.size > 0 ? { cookie: cookie() } : {}), ...more };
    const reply = await s.ask(method, `~${path}`, { ...(form ? { form } : {}), headers });
    for (const set of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (/Max-Age=0\b/i.test(set)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return reply;
  };
  const browser: Browser = {
    cookies,
    cookie,
    get: (path, headers) => ask('GET', path, undefined, headers),
    post: (path, form, headers) => ask('POST', path, form, headers),
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
