import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Failure } from '../errors.js';
import { parseForm } from './params.js';

/** Request bodies: JSON, forms, and everything else, which carries no parameters (A4). */
export function parseBodies(app: FastifyInstance): void {
  app.removeContentTypeParser(['application/json', 'text/plain']);
  app.addContentTypeParser(/^application\/([\w.-]+\+)?json/i, { parseAs: 'string' }, async (_request: FastifyRequest, text: string) =>
    text.trim() === '' ? undefined : parseJson(text),
  );
  app.addContentTypeParser(/^application\/x-www-form-urlencoded/i, { parseAs: 'string' }, async (_request: FastifyRequest, text: string) =>
    parseForm(text),
  );
  app.addContentTypeParser('*', async (_request: FastifyRequest, payload: NodeJS.ReadableStream) => {
    for await (const _chunk of payload) {
      // Read to the end, so that the connection can be used again.
    }
    return undefined;
  });
  app.addHook('preValidation', async (request) => {
    if (request.isMultipart()) request.body = await multipartFields(request);
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, (name, value) => (name === '__proto__' ? undefined : value));
  } catch (error) {
    throw new Failure('rest_invalid_json', {
      cause: error,
      data: { json_error_code: 4, json_error_message: 'Syntax error' },
    });
  }
}

/** Fields only; files have a route of their own. */
async function multipartFields(request: FastifyRequest): Promise<Record<string, unknown>> {
  const pairs = new URLSearchParams();
  for await (const part of request.parts()) {
    if (part.type === 'file') part.file.resume();
    else pairs.append(part.fieldname, String(part.value));
  }
  return parseForm(pairs.toString());
}
