import { setTimeout as wait } from 'node:timers/promises';
import { type Client, createClient } from '../client/client.js';
import { secondsUntil } from '../client/error.js';
import { EXIT, Refusal } from './io.js';

/** A client for another site, which retries failed requests. */

const TRIES = 4;
const MOST_WAITED_S = 60;
const ANSWERED_WITHIN_MS = 60_000;

export function sourceAt(site: string, stopped: AbortSignal): Client {
  if (!/^https?:$/.test(URL.canParse(site) ? new URL(site).protocol : ''))
    throw new Refusal(`"${site}" is not a URL. Write it like https://old.example.`, EXIT.usage);
  let hasAnswered = false;
  /** A busy site or a bad connection may recover in a moment. */
  const patiently: typeof fetch = async (to, request) => {
    for (let tried = 1; ; tried++) {
      const answer = await wholeAnswer(to, request, stopped).catch((error: Error) => error);
      hasAnswered ||= answer instanceof Response;
      const isWell = answer instanceof Response && answer.status !== 429 && answer.status < 500;
      if (isWell || tried === TRIES || !hasAnswered || stopped.aborted) {
        if (answer instanceof Response) return answer;
        throw new Refusal(`${site} does not respond: ${reasonOf(answer)}.`, EXIT.failed, answer);
      }
      const asked = secondsUntil((answer instanceof Response && answer.headers.get('Retry-After')) || '');
      await wait(Math.min(asked ?? 2 ** (tried - 1), MOST_WAITED_S) * 1000, undefined, { signal: stopped });
    }
  };
  return createClient({ url: site, fetch: patiently });
}

/** Including the body, since the connection may also break while it is read. */
async function wholeAnswer(
  to: Parameters<typeof fetch>[0],
  request: RequestInit | undefined,
  stopped: AbortSignal,
): Promise<Response> {
  // Not AbortSignal.any(): in Node 20, a timeout that is referenced only there is forgotten.
  const ending = new AbortController();
  const end = (): void => ending.abort(new Error('nothing received for a minute'));
  const timer = setTimeout(end, ANSWERED_WITHIN_MS);
  stopped.addEventListener('abort', end);
  if (stopped.aborted) end();
  try {
    const answer = await fetch(to, { ...request, signal: ending.signal });
    const body = await answer.arrayBuffer();
    const copy = new Response(body.byteLength > 0 ? body : null, answer);
    return Object.defineProperty(copy, 'url', { value: answer.url });
  } finally {
    clearTimeout(timer);
    stopped.removeEventListener('abort', end);
  }
}

const reasonOf = (error: Error): string => {
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
  return code ?? message;
};
