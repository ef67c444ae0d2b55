import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Database } from '../db/database.js';
import type { Files } from '../media/files.js';
import { imageByFile, isShownPublicly, mayUse } from '../media/image.store.js';
import { fileNames } from '../media/image.view.js';
import { freshnessFor } from './context.js';
import { NOT_KEPT } from './headers.js';
import { tagMatches } from './negotiate.js';
import { BY_SESSION } from './session.js';

const YEAR = 31_536_000;

/** `GET /media/…`: pictures. One that appears only on unpublished records is shown only to those who may see these. */
export function serveFiles(app: FastifyInstance, database: Database, files: Files): void {
  app.get<{ Params: { name: string } }>('/media/:name', BY_SESSION, async (request, reply) => {
    const { name } = request.params;
    const caller = request.caller ?? {};
    const stem = /^[0-9a-f]{32}/.exec(name)?.[0] ?? '';
    const found = await database.read(async (db) => {
      const image = await imageByFile(db, stem);
      if (!image || !fileNames(image).includes(name) || !(await mayUse(db, caller, image))) return undefined;
      return { image, isPublic: await isShownPublicly(db, image.id) };
    }, freshnessFor(caller));
    reply.header('X-Content-Type-Options', 'nosniff');
    reply.header('Content-Security-Policy', "default-src 'none'; sandbox");
    // What is not public may be embedded only in our own pages.
    reply.header('Cross-Origin-Resource-Policy', found && !found.isPublic ? 'same-origin' : 'cross-origin');
    // Scripts of other sites may draw it, too (A9).
    reply.header('Access-Control-Allow-Origin', '*');
    if (!found) return missing(reply);
    const caching = found.isPublic ? `public, max-age=${YEAR}, immutable` : NOT_KEPT;
    const tag = `"${name}"`;
    // The file behind a name never changes, so the store need not be asked.
    if (tagMatches(request.headers['if-none-match'], tag))
      return reply.code(304).header('Cache-Control', caching).header('ETag', tag).send();
    const file = await files.get(name);
    if (!file) return missing(reply);
    reply.header('Cache-Control', caching).header('ETag', tag).header('Content-Length', file.size);
    return reply.type(found.image.mime).send(file.body);
  });
}

const missing = (reply: FastifyReply): FastifyReply =>
  reply.code(404).header('Cache-Control', 'no-store').type('text/plain').send('not found\n');
