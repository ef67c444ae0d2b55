import sharp from 'sharp';
import type { Route } from '../../src/records/routes.js';
import { apiRoutes } from '../../src/routes.js';
import type { RoleName, TestServer } from '../support/server.js';

/** What the suites of this folder share. */

export const WHO = [undefined, 'subscriber', 'contributor', 'author', 'editor', 'admin'] as const;
export const nameOf = (who: RoleName | undefined): string => who ?? 'anonymous';

/** The route table itself: a route or parameter that is added is attacked without anybody thinking of it. */
export const ROUTES: Route[] = apiRoutes({ siteName: 'Kalends', version: '0' }, async () => {});

export const listRoutes = (): { path: string; params: string[] }[] =>
  ROUTES.flatMap(({ path, endpoints }) => {
    const list = endpoints.find(({ doc }) => doc.name.endsWith('.list'));
    return list ? [{ path, params: Object.keys(list.args) }] : [];
  });

export const picture = (width = 40, height = 30, format: 'png' | 'jpeg' | 'webp' | 'gif' | 'avif' = 'png') =>
  sharp({ create: { width, height, channels: 3, background: { r: 200, g: 30, b: 60 } } })
    .toFormat(format)
    .toBuffer();

/** Sends a picture as the body itself. */
export const upload = (s: TestServer, body: Uint8Array, as: RoleName | undefined = 'author', type = 'image/png') =>
  s.ask('POST', '/media', { as, body, headers: { 'content-type': type } });

export const basic = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** Collects what is wrong, row by row, so that one failure shows the whole pattern. */
export class Findings {
  private readonly wrong: string[] = [];
  seen = 0;
  check(holds: boolean, problem: () => string): void {
    this.seen++;
    if (!holds) this.wrong.push(problem());
  }
  end(least = 1): void {
    const some = this.wrong.slice(0, 30).join('\n');
    if (this.wrong.length > 0) throw new Error(`${this.wrong.length} wrong of ${this.seen}:\n${some}`);
    if (this.seen < least) throw new Error(`only ${this.seen} rows were looked at, ${least} expected`);
  }
}
