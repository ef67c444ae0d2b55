import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Failure } from '../errors.js';
import { parseForm } from './params.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** A picture that was sent. */
    upload?: Buffer | undefined;
  }
  interface FastifyContextConfig {
    uploads?: boolean;
  }
}

/** Request bodies: JSON, forms, and everything else, which carries no parameters (A4). */
export function parseBodies(app: FastifyInstance, bodyLimit: number, mediaLimit: number): void {
  const limitOf = (request: FastifyRequest): number =>
    request.routeOptions.config.uploads ? Math.max(mediaLimit, bodyLimit) : bodyLimit;
  app.decorateRequest('upload', undefined);
  app.addContentTypeParser(
    /^image\//i,
    { parseAs: 'buffer', bodyLimit: mediaLimit },
    async (request: FastifyRequest, body: Buffer) => {
      if (body.length > limitOf(request)) throw new Failure('body-too-large');
      request.upload = body;
      return undefined;
    },
  );
  app.removeContentTypeParser(['application/json', 'text/plain']);
  app.addContentTypeParser(
    /^application\/([\w.-]+\+)?json/i,
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => (body.length === 0 ? undefined : parseJson(body)),
  );
  app.addContentTypeParser(
    /^application\/x-www-form-urlencoded/i,
    { parseAs: 'string' },
    async (_request: FastifyRequest, text: string) => parseForm(text),
  );
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: NodeJS.ReadableStream) => {
    let size = 0;
    // Read to the end, so that the connection can be used again; but not without end.
    for await (const chunk of payload) {
      size += chunk.length;
      if (size > limitOf(request)) throw new Failure('body-too-large');
    }
    return undefined;
  });
  app.addHook('preValidation', async (request) => {
    if (request.isMultipart())
      request.body = await Promise.race([multipartFields(request, bodyLimit), breakOff(request)]).catch(refuseForm);
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const badJson = (json_error_code: number, json_error_message: string, cause?: unknown): Failure =>
  new Failure('rest_invalid_json', { cause, data: { json_error_code, json_error_message } });

/** The numbers are those of the reference's platform, which clients may know. */
function parseJson(body: Buffer): unknown {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch (error) {
    throw badJson(5, 'Malformed UTF-8 characters', error);
  }
  try {
    return JSON.parse(text, (name, value: unknown) => {
      if (name === '__proto__') return undefined;
      if (!isWellFormed(name) || (typeof value === 'string' && !isWellFormed(value))) {
        throw badJson(10, 'Single unpaired UTF-16 surrogate in unicode escape');
      }
      return value;
    });
  } catch (error) {
    throw error instanceof Failure ? error : badJson(4, 'Syntax error', error);
  }
}

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const isWellFormed = (text: string): boolean => !LONE_SURROGATE.test(text);

const PATIENCE_MS = 3000;

/** Some broken forms never end for their reader: when all has arrived and nothing comes of it, it is over. */
async function breakOff(request: FastifyRequest): Promise<never> {
  if (!request.raw.readableEnded) await once(request.raw, 'end');
  await sleep(PATIENCE_MS, undefined, { ref: false });
  throw new Failure('bad-request', { values: { reason: 'the form does not end' } });
}

/** A form that breaks off or has no boundary is the sender's fault; too large is known by its status. */
function refuseForm(error: Error & { statusCode?: number }): never {
  if (error instanceof Failure || error.statusCode !== undefined) throw error;
  throw new Failure('bad-request', { cause: error, values: { reason: error.message.slice(0, 200) } });
}

/** Fields, and the one file of a route that takes one; others are passed over. */
async function multipartFields(request: FastifyRequest, most: number): Promise<Record<string, unknown>> {
  let size = 0;
  const pairs = new URLSearchParams();
  for await (const part of request.parts()) {
    if (part.type === 'file') {
      if (request.routeOptions.config.uploads && request.upload === undefined) request.upload = await part.toBuffer();
      else part.file.resume();
    } else {
      size += String(part.value).length;
      if (size > most) throw new Failure('body-too-large');
      pairs.append(part.fieldname, String(part.value));
    }
  }
  return parseForm(pairs.toString());
}
