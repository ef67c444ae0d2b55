import type { FastifyInstance } from 'fastify';

const SECRET = /([?&](?:password|new_password|token|_wpnonce)=)[^&]*/gi;
/** The address as asked, without what opens doors. */
export const withoutSecrets = (url: string): string => url.replace(SECRET, '$1***');

/** One line per request. */
export function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        url: withoutSecrets(request.originalUrl),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 100) / 100,
        ip: request.ip,
        ...(request.caller?.user ? { user: request.caller.user.username } : {}),
      },
      'request',
    );
  });
}
