import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { PostColumns, PostTable } from '../db/tables.js';
import { pageAt } from '../records/post.view.js';
import { toIso } from '../time/clock.js';
import { UTC } from '../time/zone.js';
import { type Shown, sendMissing } from './frame.js';
import { escapeHtml, sendBytes } from './page.js';

/** The pages of all public records, for search engines (sitemaps.org): an index, and parts of a limited size. */
export interface Mapped extends Shown {
  /** The numbers of the parts that are not empty. */
  parts: (table: PostTable) => Promise<number[]>;
  addresses: (table: PostTable, part: number) => Promise<Pick<PostColumns, 'slug' | 'modified_utc'>[]>;
}

const TABLES: readonly PostTable[] = ['event', 'venue', 'organizer'];

/** All parts lie beside the index: a sitemap may only name pages below its own folder. */
const PART = '/sitemap-:table(^(?:event|venue|organizer)$)-:part(^(?:0|[1-9]\\d{0,9})$).xml';

const xml = (root: string, item: string, entries: readonly string[]): Buffer =>
  Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>
<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries.map((entry) => `<${item}>${entry}</${item}>`).join('\n')}
</${root}>
`);

const loc = (address: string): string => `<loc>${escapeHtml(address)}</loc>`;

export function serveSitemap(app: FastifyInstance, site: Mapped): void {
  const homeOf = (request: FastifyRequest): string => site.address(request).home;
  /** Made like calendars: one at a time, and kept until something changes. */
  const made = async (request: FastifyRequest, name: string, make: () => Promise<Buffer>): Promise<Buffer> => {
    const key = JSON.stringify(['sitemap', homeOf(request), name]);
    return site.calendars.of(key, await site.lastChange(request), request.ip, make);
  };
  const send = { type: 'application/xml; charset=utf-8', headers: { 'X-Robots-Tag': 'noindex' } };

  app.get('/sitemap.xml', async (request, reply) => {
    const home = homeOf(request);
    const bytes = await made(request, 'index', async () => {
      const parts = await Promise.all(
        TABLES.map(async (table) => (await site.parts(table)).map((part) => `${home}/sitemap-${table}-${part}.xml`)),
      );
      return xml('sitemapindex', 'sitemap', parts.flat().map(loc));
    });
    return sendBytes(request, reply, bytes, send);
  });

  app.get<{ Params: { table: PostTable; part: string } }>(PART, async (request, reply) => {
    const { table, part } = request.params;
    const home = homeOf(request);
    const bytes = await made(request, `${table} ${part}`, async () => {
      const pages = await site.addresses(table, Number(part));
      const entryOf = ({ slug, modified_utc }: (typeof pages)[number]): string =>
        `${loc(pageAt(home, table, slug))}<lastmod>${toIso(modified_utc, UTC)}</lastmod>`;
      return pages.length === 0 ? Buffer.alloc(0) : xml('urlset', 'url', pages.map(entryOf));
    });
    return bytes.length === 0 ? sendMissing(request, reply, site) : sendBytes(request, reply, bytes, send);
  });
}
