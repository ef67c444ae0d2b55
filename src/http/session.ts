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

export const BY_SESSION = { config: { bySession: true } };

/**
 * Two cookies (E6): that of a session, which is written where somebody signs in or out and nowhere else, since browsers
 * keep it back from what other sites send here, and an answer to those must not replace it; and that of the form, which
 * whoever wants to sign in gets along with it.
 */
type Purpose = 'session' | 'form';

interface Named {
  name: string;
  path: string;
  secure: boolean;
}

/**
 * Where it can be had: a name that browsers take from this very host alone, or over safe connections alone. They do not
 * tell ports apart, so that the name does.
 */
function cookieAt(home: string, purpose: Purpose): Named {
  const { protocol, pathname, port } = new URL(home);
  const path = pathname.replace(/(?<=.)\/$/, '');
  const secure = protocol === 'https:';
  const place = secure ? (path === '/' ? '__Host-' : '__Secure-') : '';
  const at = port === '' ? '' : `-${port}`;
  return { name: `${place}kalends-${purpose}${at}`, path, secure };
}

export function cookieIn(header: string | undefined, home: string, purpose: Purpose): string | undefined {
  if (header === undefined) return undefined;
  const { name } = cookieAt(home, purpose);
  // There may be several of that name: other places on this host can set one, too.
  return header
    .split(';')
    .map((one) => parseCookie(one)[name])
    .find((value) => value !== undefined && looksLikeSession(value));
}

/** Scripts do not see it, and browsers do not send it along with forms of other sites. */
const guarded = (home: string, purpose: Purpose, value: string) =>
  ({ ...cookieAt(home, purpose), value, httpOnly: true, sameSite: 'lax' }) as const;

/** Without a secret: forget it. */
export const sessionCookie = (secret: string | undefined, home: string): string =>
  stringifySetCookie({ ...guarded(home, 'session', secret ?? ''), maxAge: secret === undefined ? 0 : SESSION_LASTS });

/** Until the browser is closed. */
export const formCookie = (secret: string, home: string): string => stringifySetCookie(guarded(home, 'form', secret));
