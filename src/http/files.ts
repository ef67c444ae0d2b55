import type { FastifyInstance } from 'fastify';
import type { Database } from '../db/database.js';
import type { Files } from '../media/files.js';
import { imageByFile, isShownPublicly, mayUse } from '../media/image.store.js';
import { readingOf } from './context.js';

const YEAR = 31_536_000;

/** `GET /media/…`: pictures. One that only unpublished records show is for those who may see them, and for nobody else. */
export function serveFiles(app: FastifyInstance, database: Database, files: Files): void {
  app.get<{ Params: { name: string } }>('/media/:name', async (request, reply) => {
    const { name } = request.params;
    const caller = request.caller ?? {};
    const file = /^[0-9a-f]{32}/.exec(name)?.[0] ?? '';
    const found = await database.read(async (db) => {
      const image = await imageByFile(db, file);
      if (!image || !(await mayUse(db, caller, image))) return undefined;
      return { image, isPublic: await isShownPublicly(db, image.id) };
    }, readingOf(caller));
    const data = found && (await files.get(name));
    reply.header('X-Content-Type-Options', 'nosniff');
    reply.header('Content-Security-Policy', "default-src 'none'; sandbox");
    reply.header('Cross-Origin-Resource-Policy', 'cross-origin');
    if (!found || !data)
      return reply.code(404).header('Cache-Control', 'no-store').type('text/plain').send('not found\n');
    reply.header('Cache-Control', found.isPublic ? `public, max-age=${YEAR}, immutable` : 'private, no-store');
    reply.header('ETag', `"${name}"`);
    return reply.type(found.image.mime).send(data);
  });
}
