import type { Random } from './random.js';
import type { RoleName } from './site.js';
import { bytesOf, type Sent } from './wire.js';

/** A request before it is bytes. `as` becomes a header when it is sent: passwords differ from run to run. */
export interface Asked extends Sent {
  kind: 'grammar' | 'mutation' | 'raw';
  headers: [string, string][];
  as?: RoleName | undefined;
  /** Bytes as they are, on a connection of their own, in place of the above. */
  raw?: Step[];
}

/** What is written next, and how long to wait before it. */
export interface Step {
  after: number;
  data: Buffer;
  /** Closes our side, or all of it, once this is written. */
  end?: 'half' | 'close';
}

export const toBytes = (asked: Asked, users: Record<RoleName, string>): Buffer =>
  bytesOf({
    ...asked,
    headers: asked.as ? [['Authorization', users[asked.as]], ...asked.headers] : asked.headers,
  });

const BASES = ['/api/calendar/events/v1', '/wp-json/tribe/events/v1'];

/** The namespace, mostly as it is written. */
export function baseOf(random: Random): string {
  const base = random.chance(0.85) ? (BASES[0] as string) : random.pick(BASES);
  if (random.chance(0.06)) return `/${random.pick(['de', 'ar', 'ja', 'zh', 'xx', 'EN'])}${base}`;
  return random.chance(0.02) ? base.toUpperCase() : base;
}

export function roleFor(random: Random, writes: boolean): RoleName | undefined {
  const role = random.weighed({
    administrator: writes ? 55 : 30,
    editor: 10,
    author: 12,
    contributor: 8,
    subscriber: 5,
    nobody: writes ? 10 : 35,
  });
  return role === 'nobody' ? undefined : role;
}

/** Percent-encoded, also what is no Unicode: half a pair becomes the three bytes that it would be. */
export function encoded(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return [...text]
      .map((one) => {
        const unit = one.charCodeAt(0);
        if (one.length > 1 || unit < 0xd800 || unit > 0xdfff) return encodeURIComponent(one);
        return `%ED%${(0x80 | ((unit >> 6) & 0x3f)).toString(16)}%${(0x80 | (unit & 0x3f)).toString(16)}`;
      })
      .join('');
  }
}

const asText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? (JSON.stringify(value) ?? '') : String(value);

/** `a=1&a=2`, `a[]=1`, `a[0][b]=2`: the ways in which lists and objects are written in an address or a form. */
export function pairsOf(random: Random, name: string, value: unknown): string[] {
  const pair = (key: string, one: unknown): string =>
    `${random.chance(0.5) ? key : encoded(key)}=${encoded(asText(one)).slice(0, 200_000)}`;
  if (Array.isArray(value)) {
    const way = random.pick(['repeated', 'brackets', 'numbered', 'csv']);
    const some = value.slice(0, 600);
    if (way === 'csv') return [pair(name, some.map(asText).join(','))];
    return some.map((one, n) =>
      pair(way === 'repeated' ? name : way === 'brackets' ? `${name}[]` : `${name}[${n}]`, one),
    );
  }
  if (typeof value === 'object' && value !== null && random.chance(0.8)) {
    return Object.entries(value)
      .slice(0, 300)
      .map(([key, one]) => pair(`${name}[${encoded(key)}]`, one));
  }
  if (random.chance(0.04))
    return [pair(`${name}${random.pick(['[]', '[', ']', '[a][b][c][d][e][f][g]', '.x'])}`, value)];
  return random.chance(0.03) ? [pair(name, value), pair(name, value)] : [pair(name, value)];
}

/** An address that a parser of requests takes for one: what is longer is the business of raw bytes. */
export const MOST_TARGET = 12_000;
