import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { namespacePath } from '../config.paths.js';
import { type Language, languageOf } from '../i18n/languages.js';
import type { Address } from '../records/context.js';
import type { Head } from './asked.js';

/** Which address a caller used, and which addresses responses may contain (A12). */

export interface Namespaces {
  /** The path under which routes are registered. */
  canonical: string;
  /** All paths that lead there, the canonical one first. */
  all: string[];
}

export function namespacesOf(apiRoot: string, vendor: string, aliases: readonly string[]): Namespaces {
  const canonical = namespacePath(apiRoot, vendor);
  return { canonical, all: [canonical, ...aliases] };
}

/** Where namespaces are listed: `/api`, `/wp-json`. A namespace of three segments has no root but the front page. */
export function rootsOf(namespaces: Namespaces): string[] {
  const roots = new Map<string, string>();
  for (const base of namespaces.all) {
    const root = base.split('/').slice(0, -3).join('/');
    if (root !== '' && !roots.has(root.toLowerCase())) roots.set(root.toLowerCase(), root);
  }
  return [...roots.values()];
}

/**
 * The address of the API under the name that crawlers know: they look for 'tribe/events/v1' on pages, or append it to
 * the API root that pages name. Falls back to the canonical name if no alias has that one.
 */
export function crawledAddress(home: string, { canonical, all }: Namespaces): Address {
  return addressOf(home, all.find((base) => base.toLowerCase().endsWith('/tribe/events/v1')) ?? canonical);
}

export interface Placed {
  /** The namespace path the caller used, including its language prefix; undefined outside the API. */
  base: string | undefined;
  /** The language prefix of the address, if any. */
  language: Language | undefined;
  /** The root above the namespaces, if the caller asked for the root itself. */
  root: string | undefined;
  /** The address to route by. */
  url: string;
}

/**
 * A request whose address was examined before routing; `failed`: why it was not answered before; `isHeadByPost`: a POST
 * overridden to HEAD: it must have no body, which Node does not know.
 */
export type Routed = IncomingMessage & { placed?: Placed; failed?: unknown; isHeadByPost?: boolean };

/** How many hosts a request names: if not one, it is refused, as proxies may have used another (RFC 9112, 3.2). */
export function hostsIn({ rawHeaders }: Head): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts;
}

const SLASH = 47;

/** Results from joining a home address that ends with a slash and a path that begins with one. */
const DOUBLED = /^\/{2,}/;
/** Sites without URL rewriting have their script's file name in the address, and clients may write it here, too. */
const BY_FILE = /^\/index\.php(?=\/)/i;

/** Letter case of the namespace and slashes at the end of the path do not matter; a language prefix may come first. */
export function place(asked: string, namespaces: Namespaces): Placed {
  // In absolute form, as in requests to proxies: scheme and host are dropped.
  const url = asked.charCodeAt(0) === SLASH ? asked : asked.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
  const at = url.indexOf('?');
  const query = at < 0 ? '' : url.slice(at);
  const simple = at < 0 ? url.length : at;
  for (const base of namespaces.all) {
    // Fast path: nearly all callers use the exact spelling.
    if (url.charCodeAt(base.length) !== SLASH || url.charCodeAt(simple - 1) === SLASH || !url.startsWith(base))
      continue;
    const routed = base === namespaces.canonical ? url : namespaces.canonical + url.slice(base.length);
    return { base, language: undefined, root: undefined, url: routed };
  }
  const whole = url.slice(0, pathEnd(url, simple)).replace(DOUBLED, '/');
  const language = languageOf(/^\/([a-z]{2})(?=\/|$)/i.exec(whole)?.[1] ?? '');
  const below = language === undefined ? whole : whole.slice(3) || '/';
  const route = below === '/' || below === '/index.php' ? routeIn(query) : undefined;
  if (route !== undefined) {
    const before = language === undefined ? '' : `/${language}`;
    const places = rootsOf(namespaces).map((root) => place(`${before}${root}${route}`, namespaces));
    const found = places.find(({ base, root }) => base !== undefined || root !== undefined);
    // Whatever it names, it is not the front page.
    return found ?? places[0] ?? { base: undefined, language: undefined, root: undefined, url: `/${route}` };
  }
  const path = below.replace(BY_FILE, '');
  const lower = path.toLowerCase();
  const base = namespaces.all.find((one) => lower === one.toLowerCase() || lower.startsWith(`${one.toLowerCase()}/`));
  if (base === undefined) {
    const root = rootsOf(namespaces).find((one) => lower === one.toLowerCase());
    return { base, language, root: root && (language === undefined ? root : `/${language}${root}`), url: path + query };
  }
  const used = language === undefined ? base : `/${language}${base}`;
  return { base: used, language, root: undefined, url: namespaces.canonical + path.slice(base.length) + query };
}

/** Whether an address is for people: in no namespace, not below a root, and naming no route in its query. */
export function isOutsideApi(asked: string, namespaces: Namespaces): boolean {
  const { base, root, url } = place(asked, namespaces);
  if (base !== undefined || root !== undefined || routeIn(asked.slice(asked.indexOf('?'))) !== undefined) return false;
  return !rootsOf(namespaces).some((one) => url.toLowerCase().startsWith(`${one.toLowerCase()}/`));
}

/** A path that cannot be decoded is taken literally: nothing has that name, so the response is "not found" (A11). */
export function decodable(url: string): string {
  const at = url.indexOf('?');
  const path = at < 0 ? url : url.slice(0, at);
  if (!path.includes('%')) return url;
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length);
  }
}

/** Without the slashes at the end, but with the first one. */
function pathEnd(url: string, from: number): number {
  let end = from;
  while (end > 1 && url.charCodeAt(end - 1) === SLASH) end--;
  return end;
}

/** `?rest_route=/…`: needed for sites without readable URLs, accepted by all. The rest of the query stays. */
function routeIn(query: string): string | undefined {
  if (!query.includes('rest_route=')) return undefined;
  // A query inside the route is ignored.
  const route = new URLSearchParams(query).getAll('rest_route').at(-1)?.split('?', 1)[0];
  const rest = query
    .slice(1)
    .split('&')
    .filter((one) => !/^rest_route(=|$)/.test(one));
  return route ? `${route}${rest.length > 0 ? '?' : ''}${rest.join('&')}` : undefined;
}

export function trustedBy(proxies: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
    const version = isIP(plain);
    return version !== 0 && list.check(plain, version === 6 ? 'ipv6' : 'ipv4');
  };
}

/** The client's address: behind trusted proxies, the last address in the chain that is not one of them. */
export function askerOf(request: Head, trusts: (address: string) => boolean): string {
  const own = request.socket.remoteAddress ?? '';
  const sent = request.headers['x-forwarded-for'];
  if (sent === undefined) return own;
  const chain = [sent].flat().join(',').split(',');
  const hops = [...chain.map((one) => one.trim()).filter((one) => one !== ''), own];
  return hops.findLast((hop, at) => at === 0 || !trusts(hop)) ?? '';
}

const HOST = /^[a-z0-9.-]+(:\d{1,5})?$|^\[[0-9a-f:]+\](:\d{1,5})?$/i;
const lastOf = (header: string | string[] | undefined): string =>
  (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',').at(-1)?.trim() ?? '';

/** The public address: as configured, else as a trusted proxy says, else where the server listens. */
export function homeOf(
  request: Head,
  configured: string | undefined,
  trusts: (address: string) => boolean,
  listening: string,
): string {
  if (configured !== undefined) return configured;
  const forwarded = request.headers['x-forwarded-host'];
  if (forwarded === undefined) return listening;
  const host = lastOf(forwarded);
  if (!HOST.test(host) || !trusts(request.socket.remoteAddress ?? '')) return listening;
  const proto = lastOf(request.headers['x-forwarded-proto']) === 'https' ? 'https' : 'http';
  const home = `${proto}://${host.toLowerCase()}`;
  return URL.canParse(home) ? home : listening;
}

/** The first part of global ids: host and path, without scheme and port. */
function globalOf(home: string): string {
  const url = new URL(home);
  return url.hostname + url.pathname.replace(/\/$/, '');
}

const addresses = new Map<string, Address>();
/** Nearly always the same as before: then no key need be made. */
let latest = { home: '', base: '', address: undefined as Address | undefined };

export function addressOf(home: string, base: string): Address {
  if (latest.address && latest.home === home && latest.base === base) return latest.address;
  const key = `${home} ${base}`;
  let address = addresses.get(key);
  if (!address) {
    address = addressFrom(home, base);
    if (addresses.size > 100) addresses.clear();
    addresses.set(key, address);
  }
  latest = { home, base, address };
  return address;
}

function addressFrom(home: string, base: string): Address {
  const segments = base.split('/');
  return {
    home,
    api: home + base,
    global: globalOf(home),
    root: home + segments.slice(0, -3).join('/'),
    namespace: segments.slice(-3).join('/'),
  };
}
