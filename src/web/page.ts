import type { FastifyReply, FastifyRequest } from 'fastify';
import { NOT_KEPT } from '../http/headers.js';
import { compressed, type Encoding, encodingOf, tagFor, tagMatches, tagOf } from '../http/negotiate.js';
import { PUBLIC } from '../http/send.js';
import { isRightToLeft, type Language } from '../i18n/languages.js';
import type { Address } from '../records/context.js';

/** HTML pages: one skeleton, one set of headers, and no scripts or styles but our own files. */

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);

/** The prefix of every path on this site, since the public address of the site may itself have a path. */
export const sitePath = (home: string): string => new URL(home).pathname.replace(/\/$/, '');

export interface Page {
  language: Language;
  title: string;
  /** Stands behind the title, unless that names the site itself. */
  siteName: string;
  /** HTML of the body. */
  body: string;
  /** Paths of files on this site. */
  styles: string[];
  scripts: string[];
  /** The addresses of the site and its API; `crawled` has the API address that crawlers look for. */
  address: Address;
  crawled: Address;
  /** The path in the API that corresponds to this page. */
  path: string;
  /** The canonical address of the page and a short summary, for search engines and link previews. */
  canonical?: string | undefined;
  summary?: string | undefined;
  /** The address of a picture that represents the page. */
  picture?: string | undefined;
  json_ld?: unknown;
  /** The address of the same content as a calendar file. */
  calendar?: string | undefined;
  /** Texts written by users may contain pictures, sound and films from any site. */
  showsPictures?: boolean;
}

const policyOf = ({ showsPictures }: Page): string =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src ${showsPictures ? '*' : "'self'"} data:; media-src ${showsPictures ? '*' : "'self'"}; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;

export function sendPage(reply: FastifyReply, page: Page): unknown {
  reply.header('Content-Security-Policy', policyOf(page));
  reply.header('X-Content-Type-Options', 'nosniff');
  reply.header('X-Frame-Options', 'DENY');
  reply.header('Referrer-Policy', 'same-origin');
  reply.header('Content-Language', page.language);
  const { caller, is404, routeOptions } = reply.request;
  // Signed-in users may see more than others, so the page depends on the cookie.
  const bySession = routeOptions.config.bySession || is404 ? ', Cookie' : '';
  reply.header('Vary', `Accept-Language, Accept-Encoding${bySession}`);
  if (caller?.user) reply.header('Cache-Control', NOT_KEPT);
  // Discovery, as calendar clients expect it: every page says where the API is.
  reply.header('X-TEC-API-VERSION', 'v1');
  reply.header('X-TEC-API-ROOT', page.address.api + page.path);
  reply.header('X-TEC-API-ORIGIN', page.address.home);
  reply.header('Link', `<${page.crawled.root}/>; rel="https://api.w.org/"`);
  const bytes = Buffer.from(html(page));
  const encoding = encodingOf(reply.request.headers['accept-encoding'], bytes.length);
  if (encoding !== 'identity') reply.header('Content-Encoding', encoding);
  return reply.type('text/html; charset=UTF-8').send(compressed(bytes, encoding));
}

/** The tag and the encodings of files that are sent again and again, as long as somebody holds their bytes. */
const known = new WeakMap<Buffer, { tag: string } & Partial<Record<Encoding, Buffer>>>();

/** A file; `headers` may replace those that public files have. */
export function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  bytes: Buffer,
  { type, headers }: { type: string; headers: Record<string, string> },
): unknown {
  const encoding = encodingOf(request.headers['accept-encoding'], bytes.length);
  const file = known.get(bytes) ?? { tag: tagOf(bytes) };
  known.set(bytes, file);
  const { tag } = file;
  reply.headers({
    ETag: tagFor(tag, encoding),
    Vary: 'Accept-Encoding',
    'Cache-Control': PUBLIC,
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  });
  if (tagMatches(request.headers['if-none-match'], tag)) return reply.code(304).send();
  if (encoding !== 'identity') reply.header('Content-Encoding', encoding);
  file[encoding] ??= compressed(bytes, encoding);
  return reply.type(type).send(file[encoding]);
}

/** JSON for a script element: without `<`, no text in it can end the element. */
const inScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

const fullTitle = ({ title, siteName }: Page): string => (title.includes(siteName) ? title : `${title} – ${siteName}`);

function about({ title, siteName, canonical, summary, picture, json_ld, calendar }: Page): string {
  const lines = [];
  if (canonical) lines.push(`<link rel="canonical" href="${escapeHtml(canonical)}">`);
  if (summary) lines.push(`<meta name="description" content="${escapeHtml(summary)}">`);
  // What messengers and social networks show of a link (Open Graph).
  const card = canonical && {
    title,
    site_name: siteName,
    type: 'website',
    url: canonical,
    description: summary,
    image: picture,
  };
  for (const [name, content] of Object.entries(card || {}))
    if (content) lines.push(`<meta property="og:${name}" content="${escapeHtml(content)}">`);
  if (calendar) lines.push(`<link rel="alternate" type="text/calendar" href="${escapeHtml(calendar)}">`);
  if (json_ld) lines.push(`<script type="application/ld+json">${inScript(json_ld)}</script>`);
  return lines.join('\n');
}

/** The same content in the API: at the API's own address, and at the one that crawlers look for. */
const alternates = ({ address, crawled, path }: Page): string =>
  [...new Set([address.api, crawled.api])]
    .map((api) => `<link rel="alternate" href="${escapeHtml(api + path)}">`)
    .join('\n');

function html(page: Page): string {
  const prefix = escapeHtml(sitePath(page.address.home));
  const direction = isRightToLeft(page.language) ? 'rtl' : 'ltr';
  return `<!doctype html>
<html lang="${page.language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(fullTitle(page))}</title>
<meta name="tec-api-version" content="v1">
<meta name="tec-api-origin" content="${escapeHtml(page.address.home)}">
${alternates(page)}
<link rel="https://api.w.org/" href="${escapeHtml(page.crawled.root)}/">
<link rel="icon" href="${prefix}/docs/assets/icon.svg">
${about(page)}
${page.styles.map((file) => `<link rel="stylesheet" href="${prefix}${file}">`).join('\n')}
</head>
<body>
${page.body}
${page.scripts.map((file) => `<script src="${prefix}${file}" defer></script>`).join('\n')}
</body>
</html>
`;
}
