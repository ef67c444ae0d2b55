import type { IncomingMessage } from 'node:http';
import { queryText } from './params.js';

const KNOWN = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** Stands for all unknown methods: the framework knows it, and no path has it. */
const OTHER = 'TRACE';

/**
 * Clients that can only POST name the method they mean (A2). On POST only: a link must not be able to delete. An
 * unknown method is not taken for a POST: the response says that there is no such route (A1).
 */
export function overriddenMethod(request: IncomingMessage): string {
  const method = request.method ?? 'GET';
  if (method !== 'POST') return KNOWN.has(method) ? method : OTHER;
  const header = request.headers['x-http-method-override'];
  const asked =
    new URLSearchParams(queryText(request.url ?? '')).get('_method') ?? (Array.isArray(header) ? header[0] : header);
  const wanted = asked?.toUpperCase() ?? method;
  return KNOWN.has(wanted) ? wanted : OTHER;
}
