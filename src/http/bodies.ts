import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { uploads } from '../access/rights.js';
import { Failure } from '../errors.js';
import { tooManyBytes } from '../media/picture.js';
import { parseForm } from './params.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The picture that was sent, or what is wrong with it. */
    upload?: Buffer | Failure | undefined;
    /** The field name of a file that was ignored. */
    passedOver?: string | undefined;
  }
  interface FastifyContextConfig {
    uploads?: boolean;
  }
}

const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\s*(;|$)/;
/** Also matches one type in a list, as in `Accept`. */
const JSON_BODY = /(^|[\s,])application\/([\w!#$&^.+-]+\+)?json(\+oembed)?([\s;,]|$)/i;
const FORM = 'application/x-www-form-urlencoded';
/** Carries no parameters. */
const OTHER = 'application/octet-stream';

const takesPicture = (request: FastifyRequest): boolean => request.routeOptions.config.uploads === true;
/** A picture from an anonymous caller is not read into memory, only to be refused. */
const keepsPicture = (request: FastifyRequest): boolean => takesPicture(request) && uploads(request.caller ?? {});

const hasBody = (headers: IncomingHttpHeaders): boolean =>
  Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;

/** The type as which a body is read. */
function typeFor(method: string, headers: IncomingHttpHeaders): string | undefined {
  const type = headers['content-type'];
  // The reference reads a body without a type as a form, except with POST, where its platform ignores it.
  if (!type?.includes('/') && ['PUT', 'PATCH', 'DELETE'].includes(method) && hasBody(headers)) return FORM;
  if (type === undefined) return undefined;
  // OPTIONS takes no parameters (A4).
  if (method === 'OPTIONS') return OTHER;
  // The framework does not understand lists of types.
  if (JSON_BODY.test(type.split(';', 1)[0] ?? '')) return 'application/json';
  return MEDIA_TYPE.test(type) ? type : OTHER;
}

/** Request bodies: JSON, forms, pictures; everything else carries no parameters (A4). */
export function parseBodies(app: FastifyInstance, bodyLimit: number, mediaLimit: number): void {
  const tooLarge = (request: FastifyRequest): Failure =>
    takesPicture(request) ? tooManyBytes(mediaLimit) : new Failure('body-too-large');
  /** Reads a body chunk by chunk; fails as soon as it is too large. */
  async function consume(request: FastifyRequest, payload: Readable, see: (chunk: Buffer) => void) {
    const most = takesPicture(request) ? mediaLimit : bodyLimit;
    if (Number(request.headers['content-length']) > most) throw tooLarge(request);
    let size = 0;
    // The stream is not destroyed on early exit: that would close the connection before the response is sent.
    for await (const chunk of payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > most) throw tooLarge(request);
      see(chunk);
    }
  }
  app.decorateRequest('upload', undefined);
  app.decorateRequest('passedOver', undefined);
  app.addHook('onRequest', async ({ method, raw: { headers } }) => {
    const type = typeFor(method, headers);
    if (type !== undefined) headers['content-type'] = type;
  });
  app.addContentTypeParser(/^image\//i, async (request: FastifyRequest, payload: Readable) => {
    const chunks: Buffer[] = [];
    const mayKeep = keepsPicture(request);
    await consume(request, payload, (chunk) => mayKeep && chunks.push(chunk));
    request.upload = Buffer.concat(chunks);
  });
  app.removeContentTypeParser(['application/json', 'text/plain']);
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) =>
    body.length === 0 ? undefined : parseJson(body),
  );
  app.addContentTypeParser(
    /^application\/x-www-form-urlencoded/i,
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => parseForm(formText(body)),
  );
  // Read to the end, so that the connection can be reused.
  app.addContentTypeParser('*', (request: FastifyRequest, payload: Readable) =>
    consume(request, payload, () => undefined),
  );
  app.addHook('preValidation', async (request) => {
    if (!request.isMultipart()) return;
    const fields = multipartFields(request, bodyLimit, tooLarge(request));
    request.body = await Promise.race([fields, breakOff(request)]).catch((error) =>
      refuseForm(error, tooLarge(request)),
    );
    if (takesPicture(request)) request.upload ??= new Failure('bad-request', { variant: 'no-file' });
  });
  // If a connection is closed while the client is still sending, it is reset and the response is lost; a proxy then
  // considers the instance broken and avoids it for a while. So it stays open, and the rest is read and discarded.
  app.addHook('onSend', async (request, reply) => {
    if (reply.statusCode !== 413) return;
    reply.removeHeader('connection');
    request.raw.resume();
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Invalid UTF-8 is refused here, as it is where it is percent-encoded. */
function formText(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch (error) {
    throw new Failure('bad-request', { cause: error, variant: 'utf8' });
  }
}

const badJson = (json_error_code: number, json_error_message: string, cause?: unknown): Failure =>
  new Failure('rest_invalid_json', { cause, data: { json_error_code, json_error_message } });

/** Only escapes can spell half a letter, since the bytes are UTF-8. */
const SUSPICIOUS = /\\u|__proto__/;

function withoutHarm(name: string, value: unknown): unknown {
  if (name === '__proto__') return undefined;
  if (!isWellFormed(name) || (typeof value === 'string' && !isWellFormed(value))) {
    throw badJson(10, 'Single unpaired UTF-16 surrogate in unicode escape');
  }
  return value;
}

/** The error numbers are those of the reference's platform, which clients may know. */
function parseJson(body: Buffer): unknown {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch (error) {
    throw badJson(5, 'Malformed UTF-8 characters, possibly incorrectly encoded', error);
  }
  try {
    // Looking at every member takes twenty times as long as parsing.
    const value: unknown = SUSPICIOUS.test(text) ? JSON.parse(text, withoutHarm) : JSON.parse(text);
    requireShallow(value, DEEPEST);
    return value;
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw error instanceof RangeError ? tooDeep() : badSyntax(error);
  }
}

/** A string with a line break in it, or without an end, has its own number: the usual mistake in JSON built by hand. */
const badSyntax = (error: unknown): Failure =>
  /control character|unterminated string/i.test(String(error))
    ? badJson(3, 'Control character error, possibly incorrectly encoded', error)
    : badJson(4, 'Syntax error', error);

const DEEPEST = 512;
const tooDeep = (): Failure => badJson(1, 'Maximum stack depth exceeded');

function requireShallow(value: unknown, most: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (most === 0) throw tooDeep();
  for (const one of Object.values(value)) requireShallow(one, most - 1);
}

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const isWellFormed = (text: string): boolean => !LONE_SURROGATE.test(text);

/**
 * Some malformed forms leave the parser waiting for ever. Once the request has ended, everything is in memory, and the
 * parser processes it before the event loop turns: if it still waits then, it waits for data that will not come.
 */
async function breakOff(request: FastifyRequest): Promise<never> {
  if (!request.raw.readableEnded) await once(request.raw, 'end');
  for (let turns = 0; turns < 10; turns++) await nextTurn();
  throw new Failure('bad-request', { variant: 'cut-form' });
}

/** A form that is cut off or has no boundary is the client's fault. */
function refuseForm(error: Error & { statusCode?: number; code?: string }, tooLarge: Failure): never {
  if (error.code === 'FST_FILES_LIMIT') throw new Failure('bad-request', { cause: error, variant: 'files' });
  if (error.code === 'FST_REQ_FILE_TOO_LARGE') throw tooLarge;
  if (error instanceof Failure || error.statusCode !== undefined) throw error;
  if (error instanceof RangeError) throw tooDeep();
  throw new Failure('bad-request', { cause: error, values: { reason: error.message.slice(0, 200) } });
}

/**
 * The fields, and the one file of a route that takes one; other files are ignored. Programs are refused as soon as the
 * file is too large. The form of a page is read to its end, so that what else was entered is not lost.
 */
async function multipartFields(
  request: FastifyRequest,
  most: number,
  tooLarge: Failure,
): Promise<Record<string, unknown>> {
  // The types of the parser do not know of this option here, only where it is registered.
  const options = { limits: {}, throwFileSizeLimit: request.routeOptions.config.bySession !== true };
  let size = 0;
  const pairs = new URLSearchParams();
  const values: [string, unknown][] = [];
  for await (const part of request.parts(options)) {
    if (part.type === 'file') {
      if (keepsPicture(request) && request.upload === undefined) {
        request.upload = await part.toBuffer();
        if (part.file.truncated) request.upload = tooLarge;
      } else {
        part.file.resume();
        // May be undefined, whatever its type says.
        request.passedOver = part.fieldname as string | undefined;
      }
    } else if (part.fieldname !== undefined) {
      // A field that is declared as JSON has been parsed already.
      const isText = typeof part.value !== 'object';
      const text = isText ? String(part.value) : JSON.stringify(part.value);
      size += text.length;
      if (size > most) throw new Failure('body-too-large');
      if (isText) pairs.append(part.fieldname, text);
      else values.push([part.fieldname, parseJson(Buffer.from(text))]);
    }
  }
  return { ...parseForm(pairs.toString()), ...Object.fromEntries(values) };
}
