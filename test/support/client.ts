import assert from 'node:assert/strict';
import { type Client, type ClientOptions, createClient, KalendsError } from '../../src/client/client.js';
import type { RoleName, TestServer } from './server.js';

/** What tests of the client share. */

export const clientAs = ({ users, api }: TestServer, role?: RoleName, options: Partial<ClientOptions> = {}): Client => {
  const { username: user, password } = role ? users[role] : {};
  return createClient({ url: api, ...(user && password ? { user, password } : {}), ...options });
};

export const failing = async (work: Promise<unknown>): Promise<KalendsError> => {
  const error = await work.then(
    () => assert.fail('it did not fail'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof KalendsError, String(error));
  return error;
};

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** A fetch that answers from a function and remembers what it was asked. */
export function pretend(answer: (url: URL, method: string) => { status?: number; headers?: object; body?: unknown }) {
  const asked: string[] = [];
  const sent: RequestInit[] = [];
  const pretended: typeof fetch = async (input, init = {}) => {
    const url = new URL(String(input));
    asked.push(`${init.method} ${url.href}`);
    sent.push(init);
    const { status = 200, headers = {}, body = {} } = answer(url, init.method ?? 'GET');
    const text = init.method === 'HEAD' ? null : typeof body === 'string' ? body : JSON.stringify(body);
    return new Response(text, { status, headers: { ...headers } });
  };
  return { asked, sent, fetch: pretended };
}

export const concert = { title: 'Concert', start_date: '2031-05-01 19:00:00', end_date: '2031-05-01 21:00:00' };
