import type { FastifyInstance } from 'fastify';

const SECRET = new Set(['password', 'new_password', 'token', '_wpnonce']);

function nameOf(pair: string): string {
  const raw = pair.split('=', 1)[0]?.replaceAll('+', ' ') ?? '';
  try {
    return decodeURIComponent(raw);
  } catch {
    return raw;
  }
}

/** The address as asked, without what opens doors, however the name is written. */
export function withoutSecrets(url: string): string {
  const [asked = '', ...rest] = url.split('?');
  const path = asked.replace(/\/\/[^/@]*@/g, '//***@');
  if (rest.length === 0) return path;
  const pairs = rest
    .join('?')
    .split('&')
    .map((pair) => {
      const name = nameOf(pair).replace(/\[.*$/s, '').trim().toLowerCase();
      return SECRET.has(name) ? `${name}=***` : pair;
    });
  return `${path}?${pairs.join('&')}`;
}

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
