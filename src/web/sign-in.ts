import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { newSession } from '../accounts/secrets.js';
import { Failure } from '../errors.js';
import { errorAnswer } from '../http/answers.js';
import { sessionCookie } from '../http/session.js';
import { BY_SESSION, type Framed, sendTold, tokenField } from './frame.js';
import { escapeHtml } from './page.js';
import { type Telling, tellingOf } from './parts.js';

/**
 * Where people sign in and out (E6), so that pages show them what they may see. Each form carries a token that belongs to
 * the cookie: also before there is a session, so that no other site signs anybody in without their knowing.
 */
export interface SignedIn extends Framed {
  /** Begins a session; its secret. Fails as a wrong credential does in the interface, and counts as one. */
  signIn: (request: FastifyRequest, username: string, password: string) => Promise<string>;
  signOut: (secret: string) => Promise<void>;
  isOurs: (request: FastifyRequest, token: string) => boolean;
}

/** One member of a form or of an address; what is not a text is as good as nothing. */
function textIn(given: unknown, name: string): string {
  const value = (given as Record<string, unknown> | undefined)?.[name];
  return typeof value === 'string' ? value : '';
}

export function serveSignIn(app: FastifyInstance, site: SignedIn): void {
  const remember = (request: FastifyRequest, reply: FastifyReply, secret: string | undefined): void => {
    reply.header('Set-Cookie', sessionCookie(secret, site.address(request).home));
  };
  /** Only within this site: whoever made a link to the form must not choose another. */
  const wayBack = (request: FastifyRequest, asked: string): string => {
    const { prefix, site: path } = tellingOf(request, site);
    const { home } = site.address(request);
    if (!asked.startsWith(`${path}/`) || !URL.canParse(asked, home)) return `${prefix}/`;
    const { origin, pathname, search } = new URL(asked, home);
    return origin === new URL(home).origin && !pathname.startsWith('//') ? pathname + search : `${prefix}/`;
  };
  const ask = (request: FastifyRequest, reply: FastifyReply, problem?: string): Promise<unknown> => {
    if (request.session === undefined) {
      request.session = newSession();
      remember(request, reply, request.session);
    }
    reply.header('Cache-Control', 'private, no-store').header('X-Robots-Tag', 'noindex');
    return sendTold(request, reply, site, async (_request, telling) => ({
      title: telling.translate('page.sign-in'),
      body: formBody(request, site, problem, telling),
      api: '/',
      isWayIn: true,
    }));
  };

  app.get('/sign-in', BY_SESSION, async (request, reply) => {
    const to = textIn(request.query, 'to');
    return request.caller?.user ? reply.redirect(wayBack(request, to), 303) : ask(request, reply);
  });
  app.post('/sign-in', BY_SESSION, async (request, reply) => {
    const { body } = request;
    const translate = site.translate(request);
    if (!site.isOurs(request, textIn(body, 'token'))) return ask(request, reply.code(403), translate('page.stale'));
    try {
      const secret = await site.signIn(request, textIn(body, 'username'), textIn(body, 'password'));
      remember(request, reply, secret);
      if (request.caller?.user && request.session !== undefined) await site.signOut(request.session);
    } catch (error) {
      if (!(error instanceof Failure && ['incorrect_password', 'too-many-requests'].includes(error.code))) throw error;
      if (error.extra.retryAfter !== undefined) reply.header('Retry-After', String(error.extra.retryAfter));
      const { status, body } = errorAnswer(error, translate, false);
      // 401 would make browsers ask for a password by themselves.
      return ask(request, reply.code(status === 401 ? 403 : status), String(body.message));
    }
    reply.header('Cache-Control', 'private, no-store');
    return reply.redirect(wayBack(request, textIn(body, 'to')), 303);
  });
  app.post('/sign-out', BY_SESSION, async (request, reply) => {
    const { session } = request;
    if (session !== undefined && site.isOurs(request, textIn(request.body, 'token'))) {
      await site.signOut(session);
      remember(request, reply, undefined);
    }
    reply.header('Cache-Control', 'private, no-store');
    return reply.redirect(`${tellingOf(request, site).prefix}/`, 303);
  });
}

function formBody(request: FastifyRequest, site: Framed, problem: string | undefined, { translate }: Telling): string {
  const to = textIn(request.body, 'to') || textIn(request.query, 'to');
  const username = textIn(request.body, 'username');
  return `${problem === undefined ? '' : `<p role="alert">${escapeHtml(problem)}</p>`}
<p>${escapeHtml(translate('page.sign-in.hint'))}</p>
<form method="post">${tokenField(request, site)}<input type="hidden" name="to" value="${escapeHtml(to)}">
<p><label>${escapeHtml(translate('page.username'))}
<input name="username" value="${escapeHtml(username)}" autocomplete="username" autocapitalize="none" required dir="auto"></label></p>
<p><label>${escapeHtml(translate('page.application-password'))}
<input type="password" name="password" autocomplete="current-password" required></label></p>
<button>${escapeHtml(translate('page.sign-in'))}</button></form>`;
}
