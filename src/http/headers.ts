import type { FastifyReply, FastifyRequest } from 'fastify';

/** Headers of every answer of the interface (A9). */

const EXPOSED =
  'X-TEC-Total, X-TEC-TotalPages, X-WP-Total, X-WP-TotalPages, Link, Location, Allow, ETag, Retry-After, X-Kalends-Ignored, Idempotency-Replayed';
const ACCEPTED =
  'Authorization, X-WP-Nonce, Content-Disposition, Content-MD5, Content-Type, If-None-Match, If-Modified-Since, If-Match, Idempotency-Key';
const METHODS = 'OPTIONS, GET, POST, PUT, PATCH, DELETE';

export function safetyHeaders(reply: FastifyReply): void {
  reply.header('X-Content-Type-Options', 'nosniff');
  reply.header('X-Frame-Options', 'DENY');
  reply.header('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
  reply.header('Referrer-Policy', 'no-referrer');
}

export function apiHeaders(reply: FastifyReply, root: string, signedIn: boolean): void {
  safetyHeaders(reply);
  reply.header('Content-Language', reply.request.language ?? 'en');
  reply.header('X-Robots-Tag', 'noindex');
  reply.header('Link', `<${root}/>; rel="https://api.w.org/"`);
  reply.header('Vary', 'Origin, Authorization, Accept-Language, Accept-Encoding');
  if (signedIn) {
    reply.header('Expires', 'Wed, 11 Jan 1984 05:00:00 GMT');
    reply.header('Cache-Control', 'no-cache, must-revalidate, max-age=0, no-store, private');
  } else {
    reply.header('Cache-Control', 'no-cache');
  }
}

/**
 * Anybody's page may read what is public. A page that sends credentials gets the answer only when its origin was
 * configured, so that no other site can act for a visitor who is signed in.
 */
export function corsHeaders(request: FastifyRequest, reply: FastifyReply, allowed: ReadonlySet<string>): void {
  const { origin } = request.headers;
  reply.header('Access-Control-Expose-Headers', EXPOSED);
  reply.header('Access-Control-Allow-Headers', ACCEPTED);
  if (origin === undefined) return;
  if (allowed.has(origin)) {
    reply.header('Access-Control-Allow-Origin', origin);
    reply.header('Access-Control-Allow-Credentials', 'true');
    reply.header('Access-Control-Allow-Methods', METHODS);
    return;
  }
  const wanted = String(request.headers['access-control-request-headers'] ?? '').toLowerCase();
  const carriesCredentials = request.headers.authorization !== undefined || request.headers.cookie !== undefined;
  if (carriesCredentials || wanted.includes('authorization') || !['GET', 'HEAD', 'OPTIONS'].includes(request.method))
    return;
  reply.header('Access-Control-Allow-Origin', '*');
  reply.header('Access-Control-Allow-Methods', 'OPTIONS, GET');
}
