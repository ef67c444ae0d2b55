import { KalendsError } from './error.js';

const KNOWN = ['/api/calendar/events/v1', '/wp-json/tribe/events/v1'];

/** The part of an address that ends in the namespace (`…/events/v1`), if it has one. */
export const namespaceIn = (address: string): string | undefined => /^.*?\/events\/v1(?![^/?&#])/.exec(address)?.[0];

interface Index {
  namespace?: string;
  namespaces?: string[];
}

/**
 * Finds the API of a site from the site's address.
 *
 * 1. The headers of the page: `X-TEC-API-ROOT` names the API; `Link: <…>; rel="https://api.w.org/"` names the index of
 *    APIs, which lists it. Only the path of these addresses is used, at the origin that responded: behind a proxy, a
 *    site may not know its own address, and credentials must not be sent elsewhere.
 * 2. Otherwise, and where a browser may not read those headers, the two usual paths are tried.
 */
export async function discover(site: string, send: typeof fetch): Promise<string> {
  let failure: unknown;
  const ask = async (url: string, method = 'GET'): Promise<Response | undefined> => {
    try {
      const answer = await send(url, { method });
      failure = new KalendsError(answer.status, {
        code: 'no-interface',
        message: `No calendar API was found at ${site}. Give its full URL, which ends in /events/v1.`,
      });
      return answer;
    } catch (error) {
      failure ??= error;
      return undefined;
    }
  };
  const index = async (url: string): Promise<Index> => {
    const answer = await ask(url);
    return answer?.ok ? ((await answer.json().catch(() => ({}))) as Index) : {};
  };

  const page = await ask(site, 'HEAD');
  if (page) {
    const here = (address: string): string => {
      const url = new URL(address, page.url || site);
      return new URL(page.url || site).origin + url.pathname + url.search;
    };
    const named = namespaceIn(page.headers.get('X-TEC-API-ROOT') ?? '');
    if (named) return here(named);
    const root = /<([^>]*)>; *rel="?https:\/\/api\.w\.org\//.exec(page.headers.get('Link') ?? '')?.[1];
    const found = root && (await index(here(root))).namespaces?.find((name) => namespaceIn(`/${name}`));
    if (found) return `${here(root).replace(/\/$/, '')}/${found}`;
  }
  for (const path of KNOWN) {
    const address = site.replace(/\/*([?#].*)?$/, path);
    if (namespaceIn(`/${(await index(`${address}?_fields=namespace`)).namespace}`)) return address;
  }
  throw failure;
}
