import { isIP, isIPv6 } from 'node:net';
import { availableParallelism } from 'node:os';
import { addressProblem, isPostgres } from './db/postgres-url.js';
import { LANGUAGES, languageOf } from './i18n/languages.js';
import { nearest } from './text/nearest.js';
import { findZone, spelt, zoneNames } from './time/zone.js';

// How the values of settings are parsed: one function per type of value; config.table.ts assigns them to settings.

/** The value of a text, or what is wrong with it: the rest of a sentence that begins with the name of the setting. */
export type Meaning<T> = { value: T } | { problem: string };
export type Reader<T> = (text: string) => Meaning<T>;

export const is = <T>(value: T): Meaning<T> => ({ value });
export const not = (problem: string): { problem: string } => ({ problem });

export const whole =
  (least: number, most: number): Reader<number> =>
  (text) =>
    /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most
      ? is(Number(text))
      : not(`must be a whole number from ${least} to ${most}`);

export const workers: Reader<number> = (text) => {
  if (text.toLowerCase() === 'auto') return is(availableParallelism());
  const number = whole(1, 256)(text);
  return 'value' in number ? number : not('must be a whole number from 1 to 256, or auto');
};

export const words =
  (most: number): Reader<string> =>
  (text) =>
    /[\p{Cc}\p{Cs}]/u.test(text) || [...text].length > most
      ? not(`must be one line of at most ${most} characters`)
      : is(text);

export const oneOf =
  (known: readonly string[]): Reader<string> =>
  (text) =>
    known.includes(text.toLowerCase()) ? is(text.toLowerCase()) : not(`must be one of ${known.join(', ')}`);

/** Comma-separated; only the first bad entry is reported. */
export const each =
  (read: Reader<string>): Reader<readonly string[]> =>
  (text) => {
    const values = new Set<string>();
    for (const part of text.split(',').map((entry) => entry.trim())) {
      if (part === '') continue;
      const meaning = read(part);
      if ('problem' in meaning) return not(`has the entry "${part}", which ${meaning.problem}`);
      values.add(meaning.value);
    }
    return is([...values]);
  };

const SEGMENT = /^(?!\.{1,2}$)[\w.~-]+$/;

export const segment: Reader<string> = (text) =>
  SEGMENT.test(text) ? is(text) : not('must be a single path segment: only letters, digits and - . _ ~');

export const absolutePath =
  (leastSegments: number, example: string): Reader<string> =>
  (text) => {
    const segments = text.replace(/\/$/, '').split('/').slice(1);
    return text.startsWith('/') && segments.length >= leastSegments && segments.every((part) => SEGMENT.test(part))
      ? is(`/${segments.join('/')}`)
      : not(
          `must be a path that begins with a slash${leastSegments > 1 ? ` and has at least ${leastSegments} segments` : ''}, such as ${example}`,
        );
  };

const httpUrl = (text: string): URL | undefined =>
  /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined;

export const publicUrl: Reader<string> = (text) => {
  const url = httpUrl(text);
  if (!url || [url.search, url.hash, url.username, url.password].some((part) => part !== '')) {
    return not('must be a URL that begins with http:// or https:// and has no user name, query or fragment');
  }
  return is(url.href.replace(/\/+$/, ''));
};

/** Apps with an embedded browser have origins of their own: capacitor://localhost. */
const APP_ORIGIN = /^(?!https?:|file:)[a-z][a-z\d+.-]*:\/\/[a-z\d.-]+$/;

export const origin: Reader<string> = (text) => {
  if (APP_ORIGIN.test(text)) return is(text);
  const url = httpUrl(text);
  if (text === '*') return not('is not needed: any origin may read anonymously; name those that may send credentials');
  return url && url.href === `${url.origin}/` ? is(url.origin) : not('must be an origin such as https://example.org');
};

export const proxy: Reader<string> = (text) => {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const most = isIPv6(address) ? 128 : 32;
  return isIP(address) > 0 && (bits === undefined || Number(bits) <= most)
    ? is(text)
    : not('must be an IP address or a range such as 10.0.0.0/8');
};

export const host: Reader<string> = (text) => {
  const name = text.replace(/^\[(.*)\]$/, '$1');
  if (isIP(name) > 0 || /^(?=.{1,253}$)[a-z\d_-]+(\.[a-z\d_-]+)*\.?$/i.test(name)) return is(name);
  return not('must be a host name or IP address only; set the port with PORT or --port');
};

/** `host:80`, `[::1]:80`. */
export const withPort = (name: string, port: number): string => `${isIPv6(name) ? `[${name}]` : name}:${port}`;

/** As hosts are written in URLs: in lower case, an IPv6 address in brackets if a port follows. */
export const hostAndPort: Reader<string> = (text) => {
  const [, name = text, port] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const read = host(name.toLowerCase());
  if ('problem' in read || Number(port ?? 0) > 65_535) return not('must be a host or host:port, and nothing else');
  return is(port === undefined ? read.value : withPort(read.value, Number(port)));
};

export const timezone: Reader<string> = (text) => {
  // Readers see the name: one typed all in lower or upper case gets its usual spelling, others stay as written.
  const isTyped = text.includes('/') && (text === text.toLowerCase() || text === text.toUpperCase());
  if (findZone(text)) return is(isTyped ? spelt(text) : text);
  const close = nearest(text, zoneNames());
  return not(`is not a known time zone. ${close ? `Did you mean ${close}?` : 'Use a name such as Europe/Berlin'}`);
};

export const databaseUrl: Reader<string> = (text) => {
  const scheme = /^([a-z][a-z\d+.-]+):/i.exec(text)?.[1]?.toLowerCase();
  if (isPostgres(text)) {
    const problem = addressProblem(text);
    return problem ? not(problem) : is(text);
  }
  if (scheme !== undefined && scheme !== 'sqlite' && scheme !== 'file') {
    return not(
      'names a database that is not supported. Use sqlite:/path/to/kalends.db or postgres://user:password@host:5432/database',
    );
  }
  if (/:memory:|[?#\p{Cc}]/u.test(text) || /^(\w+:)?\/*$/.test(text)) {
    return not('must name a file, without options. Use sqlite:/path/to/kalends.db');
  }
  return is(text);
};

/** An address may name several hosts, separated by commas: only a comma before the next scheme ends it. */
export const replicaUrls: Reader<readonly string[]> = (text) => {
  const urls = text.split(/[\s,]+(?=postgres(?:ql)?:)|\s+/i).filter((url) => url !== '');
  for (const url of urls) {
    const problem = isPostgres(url)
      ? addressProblem(url)
      : 'must look like postgres://user:password@host:5432/database';
    if (problem) return not(`has an entry that ${problem}`);
  }
  return is(urls);
};

export const bytes: Reader<number> = (text) => {
  const [, digits, unit = ''] = /^(\d{1,10})\s*([km]?)b?$/i.exec(text) ?? [];
  const size = Number(digits) * ({ k: 1024, m: 1024 ** 2 }[unit.toLowerCase()] ?? 1);
  return size >= 1024 && size <= 1024 ** 3 ? is(size) : not('must be a size from 1k to 1024m, such as 512k or 1m');
};

export const language: Reader<string> = (text) => {
  const known = languageOf(text.split(/[-_]/)[0] ?? '');
  return known ? is(known) : not(`must be one of ${LANGUAGES.join(', ')}`);
};

export const currencyCode: Reader<string> = (text) =>
  /^[a-z]{3}$/i.test(text) ? is(text.toUpperCase()) : not('must be a three-letter code such as EUR');
