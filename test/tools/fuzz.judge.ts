import type { Asked } from './fuzz.request.js';
import { type Answer, jsonOf } from './wire.js';

/** What every answer must be, whatever was asked. Undefined: nothing to complain about. */
export function problemWith(answer: Answer, wasHead: boolean): string | undefined {
  const { status, headers, body } = answer;
  if (status >= 500) return `answered ${status}: ${body.toString('utf8', 0, 300)}`;
  if (status === 429 && !headers.has('retry-after')) return 'answered 429 without Retry-After';
  if (wasHead || status === 204 || status === 304) return undefined;
  if (!/json/.test(headers.get('content-type') ?? ''))
    return status >= 400 && body.length === 0 ? `answered ${status} without saying why` : undefined;
  const json = jsonOf(answer);
  if (json === undefined) return `answered ${status} with JSON that is none: ${body.toString('utf8', 0, 200)}`;
  return problemWithJson(status, json);
}

function problemWithJson(status: number, json: unknown): string | undefined {
  const members = (json ?? {}) as Record<string, unknown>;
  if (status === 200 && isEnvelope(members)) {
    if (members.status >= 500) return `answered ${members.status} in an envelope: ${JSON.stringify(members.body)}`;
    return problemWithJson(members.status, members.body);
  }
  if (status < 400) return undefined;
  const { code, message, data } = members;
  const inner = (data as { status?: unknown } | undefined)?.status;
  const shown = JSON.stringify(json).slice(0, 300);
  if (typeof code !== 'string' || code === '') return `answered ${status} without a code: ${shown}`;
  if (typeof message !== 'string' || message.trim() === '') return `answered ${status} without a message: ${shown}`;
  if (/^(error|reason)\./.test(message)) return `answered ${status} with a message that was not found: ${shown}`;
  if (inner !== status) return `answered ${status}, but data.status is ${inner}: ${shown}`;
  return undefined;
}

const isEnvelope = (members: Record<string, unknown>): members is { status: number; body: unknown; headers: unknown } =>
  typeof members.status === 'number' && 'body' in members && 'headers' in members;

/** The same for failures that have most likely the same cause: what the request itself brought is left out. */
export function signatureOf(asked: Asked, problem: string): string {
  const route = /\/v1\/([a-z]*)/i.exec(asked.target)?.[1] ?? asked.target.split(/[/?]/)[1] ?? '';
  const what = problem
    .replace(/"message":".*?[^\\]"/s, '')
    .replace(/\d{4,}/g, '#')
    .slice(0, 120);
  return /^answered 4/.test(problem) ? what : `${asked.method} ${route.slice(0, 20)} ${what}`;
}

/** A request as it can be read, and typed. */
export function shownRequest(asked: Asked): string {
  const escaped = (data: Buffer): string => {
    const text = JSON.stringify(data.toString(isText(data) ? 'utf8' : 'latin1'));
    return text.length <= 1500 ? text : `${text.slice(0, 1500)}… (${data.length} bytes)`;
  };
  if (asked.raw)
    return asked.raw
      .map(
        ({ after, data, end }) =>
          `${after > 0 ? `after ${after} ms ` : ''}${escaped(data)}${end ? ` then ${end}` : ''}`,
      )
      .join('\n  ');
  return [
    `${asked.method} ${asked.target}`,
    `as ${asked.as ?? 'nobody'}`,
    ...asked.headers.map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    ...(asked.body ? [`body ${escaped(asked.body)}`] : []),
  ].join('\n  ');
}

function isText(data: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(data);
    return true;
  } catch {
    return false;
  }
}
