import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Config } from '../../src/config.js';
import { documentFile } from '../../src/describe/file.js';
import { LANGUAGES } from '../../src/i18n/languages.js';
import { apiRoutes } from '../../src/routes.js';
import { VERSION } from '../../src/version.js';

/** Holds every answer that a test gets from the interface against the OpenAPI document: what is not in it is refused. */
export interface Exchange {
  config: Pick<Config, 'apiRoot' | 'vendor' | 'aliases'>;
  method: string;
  url: string;
  /** Of the request. */
  sent: Record<string, string>;
  status: number;
  headers: Headers;
  text: string;
}

type Json = Record<string, unknown>;
interface Response {
  description: string;
  headers?: Record<string, { $ref: string }>;
  content?: { 'application/json'?: { schema: Json } };
}
interface Operation {
  operationId: string;
  responses: Record<string, Response>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json>; headers: Record<string, { schema: { type: string } }> };
}

/** Members of `data` depend on the error; all other objects have the members that the document names, and no more. */
const OPEN = new Set(['Error']);

function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (schema === null || typeof schema !== 'object') return schema;
  // The parts of a whole must not refuse each other's members.
  const inner = Object.entries(schema).map(([name, value]) => [name, name === 'allOf' ? value : closed(value)]);
  const made = Object.fromEntries(inner) as Json;
  const shut = made.type === 'object' && made.properties !== undefined && made.additionalProperties === undefined;
  return shut ? { ...made, additionalProperties: false } : made;
}

/** The document is the same for every server but for its address and the language of its texts. */
export const document = JSON.parse(documentFile(apiRoutes, VERSION)) as Document;

function strictDocument(): Json {
  const { schemas } = document.components;
  const shut = Object.entries(schemas).map(([name, schema]) => [name, OPEN.has(name) ? schema : closed(schema)]);
  return {
    $id: 'openapi',
    paths: closed(document.paths),
    components: { ...document.components, schemas: Object.fromEntries(shut) },
  };
}

// Every test process compiles them anew, and uses each for a few answers: what optimizing them takes is not won back.
const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  logger: false,
  validateSchema: false,
  code: { optimize: false },
});
formats.default(ajv);
ajv.addSchema(strictDocument());

const validators = new Map<string, ValidateFunction>();
function validatorOf(path: string, method: string, status: string): ValidateFunction {
  const steps = ['paths', path, method, 'responses', status, 'content', 'application/json', 'schema'];
  const pointer = steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  const known = validators.get(pointer);
  if (known) return known;
  const made = ajv.compile({ $ref: `openapi#/${pointer}` });
  validators.set(pointer, made);
  return made;
}

const patterns = Object.keys(document.paths).map((path) => ({
  path,
  pattern: new RegExp(`^${path.replace('{id}', '\\d+').replace('{slug}', '[^/]+').replaceAll('.', '\\.')}$`, 'i'),
}));

/** The path below the namespace, whichever of its addresses and languages was used. */
function below(url: string, config: Exchange['config']): string | undefined {
  const path = new URL(url).pathname.replace(/(?<=.)\/+$/, '');
  const spoken = new RegExp(`^/(${LANGUAGES.join('|')})(?=/)`, 'i');
  const plain = path.replace(spoken, '').toLowerCase();
  for (const base of [`${config.apiRoot}/${config.vendor}/events/v1`, ...config.aliases]) {
    if (plain === base.toLowerCase()) return '/';
    if (plain.startsWith(`${base.toLowerCase()}/`)) return plain.slice(base.length);
  }
  return undefined;
}

/** What a client that can only POST means (A2). */
function meant(exchange: Exchange): string {
  if (exchange.method.toUpperCase() !== 'POST') return exchange.method.toLowerCase();
  const header = Object.entries(exchange.sent).find(([name]) => name.toLowerCase() === 'x-http-method-override')?.[1];
  const asked = (new URL(exchange.url).searchParams.get('_method') ?? header)?.toLowerCase();
  return asked ?? 'post';
}

let checked = 0;
/** How many answers were held against the document in this process. */
export const checkedAnswers = (): number => checked;

/** Throws when the answer is not what the document says. */
export function checkAnswer(exchange: Exchange): void {
  const path = below(exchange.url, exchange.config);
  if (path === undefined) return;
  const refuse = (why: string): never => {
    const { method, url, status, text } = exchange;
    throw new Error(
      `Not as openapi.json says: ${method} ${url} answered ${status}\n  ${why}\n  body: ${text.slice(0, 2000)}`,
    );
  };
  if (exchange.headers.get('content-language') === null) refuse('the header Content-Language is missing');
  const method = meant(exchange);
  const asked = [...new URL(exchange.url).searchParams.keys()].map((name) => name.replace(/\[.*$/s, ''));
  if (method === 'options' || asked.includes('_envelope')) return;
  const some = asked.includes('_fields') || /[?&]context=embed\b/.test(exchange.url);
  const route = patterns.find(({ pattern }) => pattern.test(path))?.path;
  const operation = route === undefined ? undefined : document.paths[route]?.[method === 'head' ? 'get' : method];
  // What has no operation is no route, unless the credentials were wrong in the first place.
  if (route === undefined || operation === undefined) {
    if (![404, 401, 403, 413].includes(exchange.status)) refuse('neither the route nor the method is documented');
    return;
  }
  checkDocumented(exchange, operation, refuse);
  const bodiless = method === 'head' || exchange.status === 304;
  if (!bodiless) checkBody(exchange, route, method, some, refuse);
  checked++;
}

type Refuse = (why: string) => never;

/** Only there when something was ignored, or was answered before, or has stood for a while. */
const NOW_AND_THEN = new Set(['X-Kalends-Ignored', 'Idempotency-Replayed', 'Last-Modified']);

function checkDocumented(exchange: Exchange, { responses }: Operation, refuse: Refuse): void {
  const response = responses[String(exchange.status)] ?? refuse(`of its statuses ${Object.keys(responses).join(', ')}`);
  for (const name of Object.keys(response.headers ?? {})) {
    const value = exchange.headers.get(name);
    if (value === null && !NOW_AND_THEN.has(name)) refuse(`the documented header ${name} is missing`);
    const type = document.components.headers[name]?.schema.type;
    if (value !== null && type === 'integer' && !/^\d+$/.test(value)) refuse(`${name} is not a number: ${value}`);
  }
}

function checkBody(exchange: Exchange, route: string, method: string, some: boolean, refuse: Refuse): void {
  const { status, headers, text } = exchange;
  if (headers.get('content-type')?.toLowerCase() !== 'application/json; charset=utf-8')
    refuse(`Content-Type is ${headers.get('content-type')}`);
  if (some && status < 300) return;
  const body = JSON.parse(text) as Json;
  const validate = validatorOf(route, method, String(status));
  if (!validate(body as unknown)) refuse(explained(validate));
  if (status >= 400) checkCode(exchange, body, route, method, refuse);
  const total = headers.get('x-tec-total');
  if (total !== null && (Number(total) !== body.total || Number(headers.get('x-tec-totalpages')) !== body.total_pages))
    refuse('the totals in headers and body differ');
  if (status === 201 && !headers.get('location')?.endsWith(`${route}/${body.id}`))
    refuse(`Location is ${headers.get('location')}`);
}

/** Codes are listed in the description of their status. */
function checkCode(exchange: Exchange, body: Json, route: string, method: string, refuse: Refuse): void {
  const told = document.paths[route]?.[method]?.responses[exchange.status]?.description ?? '';
  const codes = told.slice(told.lastIndexOf(':') + 1).split(/[\s,.]+/);
  if (!codes.includes(String(body.code))) refuse(`the code ${body.code} is not among:${codes.join(' ')}`);
  if ((body.data as Json).status !== exchange.status) refuse('data.status is not the status');
}

function explained(validate: ValidateFunction): string {
  const errors = validate.errors ?? [];
  const some = errors.slice(0, 5).map((error) => {
    const extra = error.keyword === 'additionalProperties' ? ` (${error.params.additionalProperty})` : '';
    return `${error.instancePath || '/'} ${error.message}${extra}`;
  });
  return some.join('\n  ');
}
