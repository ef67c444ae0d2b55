import { parseCookie, stringifySetCookie } from 'cookie';
import { looksLikeSession } from '../accounts/secrets.js';
import { SESSION_LASTS } from '../accounts/sessions.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What is shown here depends on who is signed in on pages. */
    bySession?: boolean;
  }
  interface FastifyRequest {
    /** The secret from the cookie, not verified yet. */
    session?: string | undefined;
  }
}

export const BY_SESSION = { config: { bySession: true } };

/**
 * Two cookies (E6). The session's is set only where somebody signs in or out: browsers do not send it along with
 * requests from other sites, and a response to such a request must not replace it. The form's comes with the sign-in
 * form.
 */
type Purpose = 'session' | 'form';

interface Named {
  name: string;
  path: string;
  secure: boolean;
}

/**
 * Where possible, the name has a prefix by which browsers accept the cookie only from this very host, or only over
 * HTTPS. Browsers ignore ports, so the name contains the port.
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
  // There may be several of that name: other paths on this host can set one, too.
  return header
    .split(';')
    .map((one) => parseCookie(one)[name])
    .find((value) => value !== undefined && looksLikeSession(value));
}

/** Hidden from scripts, and not sent along with forms of other sites. */
const guarded = (home: string, purpose: Purpose, value: string) =>
  ({ ...cookieAt(home, purpose), value, httpOnly: true, sameSite: 'lax' }) as const;

/** Without a secret, the browser deletes the cookie. */
export const sessionCookie = (secret: string | undefined, home: string): string =>
  stringifySetCookie({ ...guarded(home, 'session', secret ?? ''), maxAge: secret === undefined ? 0 : SESSION_LASTS });

/** Lasts until the browser is closed. */
export const formCookie = (secret: string, home: string): string => stringifySetCookie(guarded(home, 'form', secret));
