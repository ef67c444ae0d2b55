import type { TSchema } from 'typebox';
import { CostDetails, Event } from '../events/event.shape.js';
import type { Translate } from '../i18n/translate.js';
import { Image, ImageSize } from '../media/image.shape.js';
import { Organizer } from '../organizers/organizer.shape.js';
import type { Arg, Args } from '../records/args.js';
import type { Describing } from '../records/context.js';
import type { Endpoint, Route } from '../records/routes.js';
import { DateDetails, Term } from '../records/shape.js';
import { Venue } from '../venues/venue.shape.js';
import { type About, pathOf } from './openapi.js';

/**
 * `GET /doc`: OpenAPI 3.0 with the paths, parameters and schema names that clients of the reference know. It corrects
 * the reference's mistakes: lists are envelopes, objects are objects, texts are texts, the server has its port. The
 * complete document is `openapi.json`.
 */
type Json = Record<string, unknown>;

const asText = { type: 'string' };

/** Members that exist but were never in this document; the complete one has them. */
const LEFT_OUT = new Set([
  'filesize',
  'alt_text',
  'meta',
  '_links',
  '_embedded',
  'custom_fields',
  'post_parent',
  'ticketed',
  'tickets',
  'json_ld',
  'currency_code',
]);

/** The order in which the document has always shown the members of records. */
const FIRST = [
  'id',
  'global_id',
  'global_id_lineage',
  'author',
  'date',
  'date_utc',
  'modified',
  'modified_utc',
  'status',
  'url',
];
const ORDER: Record<string, string[]> = {
  Term: ['id', 'name', 'slug', 'taxonomy', 'description', 'parent', 'count', 'url', 'urls'],
  Event: FIRST,
  Venue: [...FIRST, 'venue', 'description', 'excerpt', 'slug', 'image', 'show_map', 'show_map_link'],
  Organizer: FIRST,
};

const SCHEMAS: [string, TSchema][] = [
  ['ImageSize', ImageSize],
  ['CostDetails', CostDetails],
  ['Term', Term],
  ['Image', Image],
  ['DateDetails', DateDetails],
  ['Event', Event],
  ['Venue', Venue],
  ['Organizer', Organizer],
];

const ref = (name: string): string => `#/components/schemas/${name === 'EventTerm' ? 'Term' : name}`;

function property(name: string, schema: Json, translate: Translate): Json {
  const description = translate(String(schema.description ?? `shape.${name}`));
  if (typeof schema.$ref === 'string') {
    const object = { type: 'object', description: translate(REFERENCES[schema.$ref] ?? 'shape.details') };
    return schema.$ref === 'TermUrls'
      ? { ...object, additionalProperties: asText }
      : { ...object, $ref: ref(schema.$ref) };
  }
  if (name === 'image' || name === 'venue') {
    const inner = (schema.anyOf as Json[] | undefined)?.find((one) => typeof one.$ref === 'string');
    if (inner) return { type: 'object', description, $ref: ref(String(inner.$ref)) };
  }
  if (name === 'sizes') return { type: 'object', description, additionalProperties: { $ref: ref('ImageSize') } };
  if (schema.type === 'array') {
    const items = schema.items as Json;
    if (typeof items.$ref === 'string') return { type: 'array', description, items: { $ref: ref(items.$ref) } };
    return { type: 'array', items, description };
  }
  const first = (schema.anyOf as Json[] | undefined)?.[0];
  const type = schema.type ?? first?.type;
  const words = name === 'currency_position' ? { enum: schema.enum } : {};
  const format = type === 'number' ? { format: 'double' } : inFiles(name, schema);
  return { type, ...format, description, ...words };
}

/** Only the addresses of files were marked as such in the reference. */
const inFiles = (name: string, schema: Json): Json =>
  name === 'url' && schema.description === 'shape.image.url' ? { format: 'uri' } : {};

const REFERENCES: Record<string, string> = {
  DateDetails: 'shape.details',
  CostDetails: 'shape.cost',
  Image: 'shape.image',
  TermUrls: 'shape.term.urls',
};

function schemaOf(name: string, schema: TSchema, translate: Translate): Json {
  const properties = (schema as unknown as { properties: Record<string, Json> }).properties;
  const known = Object.keys(properties).filter((one) => !LEFT_OUT.has(one));
  const order = [...(ORDER[name] ?? []), ...known.filter((one) => !ORDER[name]?.includes(one))];
  return {
    type: 'object',
    properties: Object.fromEntries(order.map((one) => [one, property(one, properties[one] ?? {}, translate)])),
  };
}

const NUMBERS = new Set(['geoloc_lat', 'geoloc_lng']);
const FLAGS = new Set(['has_events', 'only_with_upcoming']);

function typeOf(name: string, arg: Arg): Json {
  const { type, items } = arg.described;
  if (items) return { type: 'array', items };
  if (NUMBERS.has(name)) return { type: 'number' };
  return { type: FLAGS.has(name) ? 'boolean' : (type ?? 'string') };
}

const specified = (args: Args): [string, Arg][] => Object.entries(args).filter(([, arg]) => !arg.ours);

function parameters(args: [string, Arg][], path: string, group: string, translate: Translate): Json[] {
  return args.map(([name, arg]) => ({
    in: path.includes(`:${name}`) ? 'path' : 'query',
    schema: typeOf(name, arg),
    description: translate(arg.described.description ?? ''),
    required: path.includes(`:${name}`),
    name,
    ...(arg.described.items && group === 'events' ? { style: 'form' } : {}),
  }));
}

function body(args: [string, Arg][], translate: Translate): Json {
  const properties = Object.fromEntries(
    args.map(([name, arg]) => [
      name,
      { description: translate(arg.described.description ?? ''), ...typeOf(name, arg) },
    ]),
  );
  return { content: { 'application/x-www-form-urlencoded': { schema: { type: 'object', properties } } } };
}

const SHAPES: Record<string, string> = {
  events: 'Event',
  venues: 'Venue',
  organizers: 'Organizer',
  categories: 'Term',
  tags: 'Term',
};

function answers(statuses: number[], shape: Json | undefined, translate: Translate): Json {
  return Object.fromEntries(
    statuses.map((status) => [
      String(status),
      {
        description: translate(`answer.${status}`, { codes: '…' }),
        ...(status < 300 && shape ? { content: { 'application/json': { schema: shape } } } : {}),
      },
    ]),
  );
}

function operation(endpoint: Endpoint, route: Route, translate: Translate): Json {
  const { group, name } = endpoint.doc;
  const shape = SHAPES[group] ?? '';
  const terms = shape === 'Term';
  const isVariable = (one: string): boolean => route.path.includes(`:${one}`);
  const args = specified(endpoint.described);
  if (name.endsWith('.list')) {
    const list = {
      title: group,
      type: 'object',
      properties: {
        [group]: { type: 'array', items: { $ref: ref(shape) } },
        rest_url: asText,
        next_rest_url: asText,
        previous_rest_url: asText,
        total: { type: 'integer' },
        total_pages: { type: 'integer' },
      },
    };
    return {
      parameters: parameters(args, route.path, group, translate),
      responses: answers([200, 400, 404], list, translate),
    };
  }
  const single = { $ref: ref(shape) };
  if (name.endsWith('.update')) {
    const inAddress = args.filter(([one]) => isVariable(one) || one === 'password');
    return {
      parameters: parameters(inAddress, route.path, group, translate),
      requestBody: body(
        specified(endpoint.args).filter(([one]) => one !== 'password'),
        translate,
      ),
      responses: answers([200, 201, 400, 403], single, translate),
    };
  }
  const statuses = name.endsWith('.remove')
    ? [200, 400, 403, 410, 500]
    : terms
      ? [200, 400, 404]
      : [200, 400, 403, 404];
  return {
    parameters: parameters(args, route.path, group, translate),
    responses: answers(statuses, single, translate),
  };
}

/** For collections, only reading is described here; creating is described at the single record, as in the reference. */
function pathItem(route: Route, translate: Translate): Json {
  const wanted = route.path.includes(':') ? ['GET', 'POST', 'DELETE'] : ['GET'];
  return Object.fromEntries(
    wanted.flatMap((method) => {
      const endpoint = route.endpoints.find((one) => one.methods.includes(method as 'GET'));
      return endpoint ? [[method.toLowerCase(), operation(endpoint, route, translate)]] : [];
    }),
  );
}

export function doc(routes: Route[], describing: Describing, about: About): Json {
  const { translate, address } = describing;
  const kinds = routes.filter((route) => route.endpoints.every((endpoint) => SHAPES[endpoint.doc.group] !== undefined));
  return {
    openapi: '3.0.0',
    info: {
      version: '1.0.0',
      title: translate('doc.title', { site: about.siteName }),
      description: translate('doc.description'),
    },
    components: {
      schemas: Object.fromEntries(SCHEMAS.map(([name, schema]) => [name, schemaOf(name, schema, translate)])),
    },
    servers: [{ url: `${address.api}/` }],
    paths: {
      '/doc': { get: { responses: { 200: { description: translate('answer.200') } } } },
      ...Object.fromEntries(kinds.map((route) => [pathOf(route.path), pathItem(route, translate)])),
    },
  };
}
