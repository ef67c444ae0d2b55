import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { newSession } from '../accounts/secrets.js';
import { Failure } from '../errors.js';
import { errorAnswer } from '../http/answers.js';
import { NOT_KEPT } from '../http/headers.js';
import { BY_SESSION, cookieIn, formCookie, sessionCookie } from '../http/session.js';
import { type Framed, isOurs, leadTo, sendTold, textIn, tokenField } from './frame.js';
import { escapeHtml } from './page.js';
import { type Telling, TOLD_WRONG, tellingOf } from './parts.js';

/**
 * Where people sign in and out (E6), so that pages show them what they may see. Each form carries a token bound to a
 * cookie, even before there is a session, so that no other site can sign visitors in without their knowledge.
 */
export interface SignedIn extends Framed {
  /** Starts a session and returns its secret. Wrong credentials fail, and count towards the limits, as in the API. */
  signIn: (request: FastifyRequest, username: string, password: string) => Promise<string>;
  signOut: (secret: string) => Promise<void>;
}

/** The address goes into a header, and proxies reject very long ones. */
const LONGEST_WAY = 2000;

/** The page that the user came from. */
function askedWay({ body, query }: FastifyRequest): string {
  const way = textIn(body, 'to') || textIn(query, 'to');
  return way.length <= LONGEST_WAY ? way : '';
}

export function serveSignIn(app: FastifyInstance, site: SignedIn): void {
  const homeOf = (request: FastifyRequest): string => site.address(request).home;
  const formSecretIn = (request: FastifyRequest) => cookieIn(request.headers.cookie, homeOf(request), 'form');
  /** Only within this site: whoever makes a link to the form must not be able to send users elsewhere. */
  const wayBack = (request: FastifyRequest): string => {
    const { prefix, site: path } = tellingOf(request, site);
    const [asked, home] = [askedWay(request), homeOf(request)];
    if (!asked.startsWith('/') || !URL.canParse(asked, home)) return `${prefix}/`;
    const { origin, pathname, search } = new URL(asked, home);
    const isHere = origin === new URL(home).origin && pathname.startsWith(`${path}/`) && !pathname.startsWith('//');
    return isHere ? pathname + search : `${prefix}/`;
  };
  const ask = (request: FastifyRequest, reply: FastifyReply, problem?: string): Promise<unknown> => {
    const known = formSecretIn(request);
    const secret = known ?? newSession();
    if (known === undefined) reply.header('Set-Cookie', formCookie(secret, homeOf(request)));
    reply.header('Cache-Control', NOT_KEPT).header('X-Robots-Tag', 'noindex');
    const way = askedWay(request);
    const username = textIn(request.body, 'username');
    return sendTold(request, reply, site, async (_request, telling) => ({
      title: telling.translate('page.sign-in'),
      body: formBody(tokenField(secret, site), { way, username, problem }, telling),
      api: '/',
      elsewhere: `/sign-in${way === '' ? '' : `?${new URLSearchParams({ to: way })}`}`,
      isWayIn: true,
    }));
  };

  app.get('/sign-in', BY_SESSION, async (request, reply) =>
    request.caller?.user ? leadTo(reply, wayBack(request), 303) : ask(request, reply),
  );
  app.post('/sign-in', BY_SESSION, async (request, reply) => {
    const { body, caller, session } = request;
    const translate = site.translate(request);
    if (!isOurs(request, formSecretIn(request), site)) return ask(request, reply.code(403), translate('page.stale'));
    try {
      const secret = await site.signIn(request, textIn(body, 'username'), textIn(body, 'password'));
      reply.header('Set-Cookie', sessionCookie(secret, homeOf(request)));
    } catch (error) {
      if (!(error instanceof Failure && ['incorrect_password', 'too-many-requests'].includes(error.code))) throw error;
      if (error.extra.retryAfter !== undefined) reply.header('Retry-After', String(error.extra.retryAfter));
      const { status, body } = errorAnswer(error, translate, false);
      // With 401, browsers would ask for a password themselves.
      return ask(request, reply.code(status === 401 ? 403 : status), String(body.message));
    }
    if (caller?.user && session !== undefined) await site.signOut(session);
    return leadTo(reply, wayBack(request), 303);
  });
  app.post('/sign-out', BY_SESSION, async (request, reply) => {
    const { caller, session } = request;
    if (caller?.user && isOurs(request, session, site)) {
      // First, so that this browser forgets the session even if ending it fails.
      reply.header('Set-Cookie', sessionCookie(undefined, homeOf(request)));
      await site.signOut(session);
    }
    return leadTo(reply, `${tellingOf(request, site).prefix}/`, 303);
  });
}

interface Entered {
  way: string;
  username: string;
  problem: string | undefined;
}

/** If a user name was entered already, the focus is on the password. */
function formBody(token: string, { way, username, problem }: Entered, { translate }: Telling): string {
  const isWrong = problem !== undefined;
  const told = isWrong ? TOLD_WRONG : '';
  const [first, second] = username === '' ? [' autofocus', ''] : ['', ' autofocus'];
  return `${isWrong ? `<p role="alert" id="problem">${escapeHtml(problem)}</p>` : ''}
<p>${escapeHtml(translate('page.sign-in.hint'))}</p>
<form method="post">${token}<input type="hidden" name="to" value="${escapeHtml(way)}">
<p><label>${escapeHtml(translate('page.username'))}
<input name="username" value="${escapeHtml(username)}" maxlength="200" autocomplete="username" autocapitalize="none" required dir="auto"${told}${first}></label></p>
<p><label>${escapeHtml(translate('page.application-password'))}
<input type="password" name="password" maxlength="200" autocomplete="current-password" required${told}${second}></label></p>
<button>${escapeHtml(translate('page.sign-in'))}</button></form>`;
}
