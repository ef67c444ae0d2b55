import { parseCookie, stringifySetCookie } from 'cookie';
import { looksLikeSession } from '../accounts/secrets.js';
import { SESSION_LASTS } from '../accounts/sessions.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What is shown here depends on who is signed in on pages. */
    bySession?: boolean;
  }
  interface FastifyRequest {
    /** The secret that came in the cookie, whoever holds it. */
    session?: string | undefined;
  }
}

/** The cookie of those who sign in on pages (E6). */

/** Where it can be had: a name that browsers take from this very host alone, and over safe connections. */
function cookieAt(home: string): { name: string; path: string; secure: boolean } {
  const { protocol, pathname } = new URL(home);
  const path = pathname.replace(/\/?$/, '/');
  const secure = protocol === 'https:';
  return { name: secure && path === '/' ? '__Host-kalends' : 'kalends', path, secure };
}

export function sessionIn(header: string | undefined, home: string): string | undefined {
  const secret = header === undefined ? undefined : parseCookie(header)[cookieAt(home).name];
  return secret !== undefined && looksLikeSession(secret) ? secret : undefined;
}

/** Other sites do not make a browser send it along, scripts do not see it. Without a secret: forget it. */
export function sessionCookie(secret: string | undefined, home: string): string {
  const maxAge = secret === undefined ? 0 : SESSION_LASTS;
  return stringifySetCookie({ ...cookieAt(home), value: secret ?? '', maxAge, httpOnly: true, sameSite: 'lax' });
}
