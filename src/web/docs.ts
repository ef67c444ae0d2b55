import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Translate } from '../i18n/translate.js';
import type { Address } from '../records/context.js';
import type { Zone } from '../time/zone.js';
import { type Paging, type Recipe, recipesOf } from './cookbook.js';
import { escapeHtml, sendBytes, sendPage } from './page.js';
import { languageLinks, siteLinks, skipLink, tellingOf } from './parts.js';

/** The documentation page: examples, and the reference to try requests in. Nothing is loaded from other sites. */
export interface Documented {
  siteName: string;
  paging: Paging;
  address: (request: FastifyRequest) => Address;
  crawled: (request: FastifyRequest) => Address;
  translate: (request: FastifyRequest) => Translate;
  zone: Zone;
}

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};
const ASSETS = ['swagger-ui-bundle.js', 'swagger-ui.css', 'docs.js', 'docs.css', 'icon.svg'];

export function serveDocs(app: FastifyInstance, about: Documented): void {
  app.get('/docs', async (request, reply) => sendDocs(request, reply, about));
  for (const name of ASSETS) {
    const file = new URL(`./assets/${name}`, import.meta.url);
    const type = TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
    const headers = { 'Cache-Control': 'public, max-age=3600' };
    let bytes: Buffer | undefined;
    app.get(`/docs/assets/${name}`, async (request, reply) => {
      bytes ??= readFileSync(file);
      return sendBytes(request, reply, bytes, { type, headers });
    });
  }
}

function sendDocs(request: FastifyRequest, reply: FastifyReply, about: Documented): unknown {
  const address = about.address(request);
  const telling = tellingOf(request, about);
  const { language, translate } = telling;
  const title = translate('docs.title', { site: about.siteName });
  return sendPage(reply, {
    language,
    title,
    siteName: about.siteName,
    address,
    crawled: about.crawled(request),
    path: '/',
    styles: ['/docs/assets/swagger-ui.css', '/docs/assets/docs.css'],
    // Ours first: it configures the other.
    scripts: ['/docs/assets/docs.js', '/docs/assets/swagger-ui-bundle.js'],
    body: `${skipLink('cookbook', telling)}
<a class="skip" href="#reference">${escapeHtml(translate('docs.reference'))}</a>
<header>${siteLinks(about.siteName, telling)}<h1>${escapeHtml(title)}</h1><p>${escapeHtml(translate('docs.intro'))}</p>
${languageLinks('/docs', telling)}
<nav aria-label="${escapeHtml(translate('docs.contents'))}"><a href="#cookbook">${escapeHtml(translate('docs.cookbook'))}</a>
<a href="#reference">${escapeHtml(translate('docs.reference'))}</a></nav></header>
<main>
<section aria-labelledby="cookbook"><h2 id="cookbook">${escapeHtml(translate('docs.cookbook'))}</h2>
${recipesOf(about.paging)
  .map((recipe) => recipeHtml(recipe, address))
  .join('\n')}</section>
<section aria-labelledby="reference"><h2 id="reference">${escapeHtml(translate('docs.reference'))}</h2>
<p><a href="${escapeHtml(address.api)}/openapi.json">${escapeHtml(translate('docs.download'))}</a></p>
<noscript><p>${escapeHtml(translate('docs.noscript'))}</p></noscript>
<div id="swagger" dir="ltr" data-document="${escapeHtml(new URL(address.api).pathname)}/openapi.json"></div></section>
</main>`,
  });
}

/** The command to type, with the address of this site. */
export function commandOf(recipe: Recipe, api: string): string {
  const parts = ['curl'];
  if (recipe.user) parts.push("-u 'USER:APPLICATION-PASSWORD'");
  // With -X HEAD, curl would wait for a body that never comes.
  if (recipe.method === 'HEAD') parts.push('-I');
  else if (recipe.method !== undefined && recipe.method !== 'GET') parts.push(`-X ${recipe.method}`);
  for (const [name, value] of Object.entries(recipe.headers ?? {})) parts.push(`-H '${name}: ${value}'`);
  if (recipe.body !== undefined)
    parts.push("-H 'Content-Type: application/json'", `-d '${JSON.stringify(recipe.body).replaceAll("'", "'\\''")}'`);
  parts.push(`'${api}${recipe.path}'`);
  return parts.join(' ');
}

/** Examples are in English, whatever the language of the page. */
function recipeHtml(recipe: Recipe, address: Address): string {
  return `<article id="${recipe.id}" lang="en" dir="ltr"><h3>${escapeHtml(recipe.title)}</h3><p>${escapeHtml(recipe.text)}</p><pre tabindex="0"><code>${escapeHtml(commandOf(recipe, address.api))}</code></pre></article>`;
}
