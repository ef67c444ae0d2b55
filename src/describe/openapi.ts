import type { FailureCode } from '../errors.js';
import { ticketMembers } from '../events/event.tickets.js';
import { STATUS } from '../http/answers.js';
import type { Translate } from '../i18n/translate.js';
import type { Args } from '../records/args.js';
import type { Describing } from '../records/context.js';
import type { Endpoint, Method, Route } from '../records/routes.js';
import { BODY_EXAMPLES } from './examples.js';
import { parameters, sharedParameters, TAG } from './parameters.js';
import { components, shapeOf } from './schemas.js';
import { describeValue } from './values.js';

/** The whole API as OpenAPI 3.1, generated from the route table that serves it. */
export interface About {
  siteName: string;
  version: string;
}

type Json = Record<string, unknown>;

export const pathOf = (path: string): string =>
  path === '' ? '/' : path.replace(':id', '{id}').replace(':slug', '{slug}');

/** `event.update` by PUT at a slug is `replaceEventBySlug`. */
function operationId(endpoint: Endpoint, method: Method, path: string): string {
  const [kind = '', operation] = endpoint.doc.name.split('.');
  const verbs: Record<string, string> = { list: 'list', create: 'create', read: 'get', remove: 'delete' };
  const updates: Partial<Record<Method, string>> = { POST: 'update', PUT: 'replace', PATCH: 'patch' };
  if (operation === undefined)
    return { me: 'getMe', namespace: 'getIndex', doc: 'getDoc', openapi: 'getOpenapi' }[kind] ?? kind;
  const verb = operation === 'update' ? updates[method] : verbs[operation];
  const noun = operation === 'list' ? endpoint.doc.group : kind;
  return `${verb}${noun[0]?.toUpperCase()}${noun.slice(1)}${path.includes(':slug') ? 'BySlug' : ''}`;
}

/** The body of `event.create` is an `EventCreate`. */
function bodyName(endpoint: Endpoint): string {
  return endpoint.doc.name.replace(/(?:^|\.)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function bodySchema(args: Args, translate: Translate): Json {
  const needed = Object.keys(args).filter((name) => args[name]?.required);
  const properties = Object.entries(args).map(([name, arg]) => {
    const value = describeValue(name, arg);
    const description = translate(arg.described.description ?? '');
    return [
      name,
      { ...value.schema, description, ...(value.example !== undefined ? { examples: [value.example] } : {}) },
    ];
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(needed.length > 0 ? { required: needed } : {}),
  };
}

function requestBody(endpoint: Endpoint): Json {
  if (endpoint.uploads) return uploadBody();
  const body = {
    schema: { $ref: `#/components/schemas/${bodyName(endpoint)}` },
    example: BODY_EXAMPLES[endpoint.doc.name],
  };
  return {
    required: Object.values(endpoint.args).some((arg) => arg.required),
    content: { 'application/json': body, 'application/x-www-form-urlencoded': body },
  };
}

/** A picture as the whole body, or as the file of a form. */
function uploadBody(): Json {
  const file = { type: 'string', contentMediaType: 'application/octet-stream' };
  const form = { type: 'object', properties: { file, alt_text: { type: 'string' } }, required: ['file'] };
  return { required: true, content: { 'multipart/form-data': { schema: form }, 'image/*': { schema: {} } } };
}

/** The bodies of all endpoints; paths by id and by slug share theirs. */
function bodies(routes: Route[], translate: Translate): Json {
  const sent = routes.flatMap((route) =>
    route.endpoints.filter((endpoint) => takesBody(endpoint) && !endpoint.uploads),
  );
  return Object.fromEntries(sent.map((endpoint) => [bodyName(endpoint), bodySchema(endpoint.args, translate)]));
}

const takesBody = (endpoint: Endpoint): boolean => endpoint.writes && !endpoint.methods.includes('DELETE');

const EXAMPLES = { params: 'start_date', id: 42, slug: 'music', seconds: 30, most: '10 MB', reason: '…' };

const COMMON: FailureCode[] = [
  'bad-request',
  'incorrect_password',
  'rest_cookie_invalid_nonce',
  'too-many-requests',
  'service-unavailable',
];
const WRITING: FailureCode[] = [
  'rest_invalid_json',
  'rest_missing_callback_param',
  'rest_forbidden',
  'body-too-large',
  'precondition-failed',
];
/** Failures with a `Retry-After` header. */
const WAITING: FailureCode[] = ['service-unavailable', 'too-many-requests', 'idempotency-conflict'];
const KEYED: FailureCode[] = ['idempotency-key', 'idempotency-conflict', 'idempotency-mismatch'];

/** Codes by status; anonymous callers get 401 where others get 403. */
function failuresOf(endpoint: Endpoint, method: Method): Map<number, FailureCode[]> {
  const codes: FailureCode[] = [...endpoint.doc.failures, ...COMMON, ...(endpoint.writes ? WRITING : [])];
  if (method === 'POST') codes.push(...KEYED);
  if (Object.keys(endpoint.args).length > 0) codes.push('rest_invalid_param');
  const found = new Map<number, FailureCode[]>();
  const add = (status: number, code: FailureCode): void => {
    found.set(status, [...(found.get(status) ?? []), code]);
  };
  for (const code of codes) {
    add(STATUS[code], code);
    if (code === 'rest_forbidden') add(401, code);
  }
  return new Map([...found].sort(([a], [b]) => a - b));
}

function responses(endpoint: Endpoint, method: Method, translate: Translate): Json {
  const header = (name: string) => ({ $ref: `#/components/headers/${name}` });
  const list = endpoint.doc.name.endsWith('.list');
  const made = endpoint.doc.name.endsWith('.create');
  const success = {
    description: translate(made ? 'answer.201' : list ? 'answer.200.list' : 'answer.200'),
    headers: {
      Allow: header('Allow'),
      Link: header('Link'),
      'Content-Language': header('Content-Language'),
      ...(method === 'GET' ? { ETag: header('ETag') } : {}),
      // The response about the caller is private and not cached.
      ...(method === 'GET' && endpoint.doc.name !== 'me' ? { 'Last-Modified': header('Last-Modified') } : {}),
      ...(list ? { 'X-TEC-Total': header('X-TEC-Total'), 'X-TEC-TotalPages': header('X-TEC-TotalPages') } : {}),
      ...(made ? { Location: header('Location') } : {}),
      ...(endpoint.writes ? { 'X-Kalends-Ignored': header('X-Kalends-Ignored') } : {}),
      ...(method === 'POST' ? { 'Idempotency-Replayed': header('Idempotency-Replayed') } : {}),
    },
    content: { 'application/json': { schema: shapeOf(endpoint.doc.shape, translate) } },
  };
  const failures = [...failuresOf(endpoint, method)].map(([status, codes]) => [
    String(status),
    {
      description: translate(`answer.${status}`, { codes: codes.join(', ') }),
      ...(codes.some((code) => WAITING.includes(code)) ? { headers: { 'Retry-After': header('Retry-After') } } : {}),
      content: {
        'application/json': {
          schema: { allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { code: { enum: codes } } }] },
          example: { code: codes[0], message: translate(`error.${codes[0]}`, EXAMPLES), data: { status } },
        },
      },
    },
  ]);
  return {
    [made ? '201' : '200']: success,
    ...(method === 'GET' ? { '304': { description: translate('answer.304') } } : {}),
    ...Object.fromEntries(failures),
  };
}

function operation(endpoint: Endpoint, method: Method, route: Route, describing: Describing): Json {
  const { translate } = describing;
  return {
    operationId: operationId(endpoint, method, route.path),
    tags: [endpoint.doc.group],
    summary: translate(`op.${endpoint.doc.name}`),
    parameters: parameters(endpoint, method, route.path, describing),
    ...(takesBody(endpoint) ? { requestBody: requestBody(endpoint) } : {}),
    // Reading what is published needs no credentials.
    security: [...(endpoint.writes ? [] : [{}]), { applicationPassword: [] }, { token: [] }],
    responses: responses(endpoint, method, translate),
  };
}

const GROUPS = ['events', 'venues', 'organizers', 'categories', 'tags', 'media', 'about'];

function headers(translate: Translate): Json {
  const text = (key: string, type: string, example: unknown) => ({
    description: translate(key),
    schema: { type },
    example,
  });
  return {
    'X-TEC-Total': text('header.total', 'integer', 42),
    'X-TEC-TotalPages': text('header.pages', 'integer', 5),
    Link: text('header.link', 'string', '<https://example.org/api/>; rel="https://api.w.org/"'),
    ETag: text('header.etag', 'string', TAG),
    'Last-Modified': text('header.modified', 'string', 'Sun, 06 Nov 2033 08:49:37 GMT'),
    Allow: text('header.allow', 'string', 'GET, POST'),
    Location: text('header.location', 'string', 'https://example.org/api/calendar/events/v1/events/42'),
    'Content-Language': text('header.language', 'string', 'en'),
    'X-Kalends-Ignored': text('header.ignored', 'string', 'colour'),
    'Idempotency-Replayed': text('header.replayed', 'string', 'true'),
    'Retry-After': text('header.retry', 'integer', 2),
  };
}

export function openApi(routes: Route[], describing: Describing, about: About): Json {
  const { translate, address } = describing;
  return {
    openapi: '3.1.0',
    info: {
      title: translate('doc.title', { site: about.siteName }),
      version: about.version,
      description: translate('doc.description'),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: address.api }],
    tags: GROUPS.map((name) => ({ name, description: translate(`group.${name}`) })),
    paths: Object.fromEntries(
      routes.map((route) => [
        pathOf(route.path),
        Object.fromEntries(
          route.endpoints.flatMap((endpoint) =>
            endpoint.methods.map((method) => [method.toLowerCase(), operation(endpoint, method, route, describing)]),
          ),
        ),
      ]),
    ),
    components: {
      schemas: {
        ...components(translate),
        ...bodies(routes, translate),
        TicketInput: bodySchema(ticketMembers, translate),
      },
      parameters: sharedParameters(translate),
      headers: headers(translate),
      securitySchemes: {
        applicationPassword: { type: 'http', scheme: 'basic', description: translate('security.basic') },
        token: { type: 'http', scheme: 'bearer', description: translate('security.bearer') },
      },
    },
  };
}
