import type { Translate } from '../i18n/translate.js';
import type { Arg } from '../records/args.js';
import type { Describing } from '../records/context.js';
import type { Endpoint, Method } from '../records/routes.js';
import { defaultOf, describeValue, limitsOf, oneOrMany } from './values.js';

/** The parameters of operations in OpenAPI 3.1. */

type Json = Record<string, unknown>;

/** An example of an entity tag. */
export const TAG = '"x40afjzILm6b2MFcKLS2YMbOYHM"';

/** Lists are separated by commas; the name may also be repeated, or have brackets. */
const LIST = { style: 'form', explode: false };
/** Its presence is enough, whatever its value. */
const FLAG = { schema: { type: 'string', examples: ['1'] } };

/** Parameters that only shape the response: every operation takes them, so they are described once. */
export function sharedParameters(translate: Translate): Record<string, Json> {
  const parameter = (name: string, key: string, rest: Json): Json => ({
    name,
    in: 'query',
    required: false,
    description: translate(key),
    ...rest,
  });
  const members = { ...oneOrMany({ type: 'string' }), examples: [['total', 'events.title']] };
  return {
    _fields: parameter('_fields', 'arg.fields', { ...LIST, schema: members }),
    _envelope: parameter('_envelope', 'arg.envelope', FLAG),
    _pretty: parameter('_pretty', 'arg.pretty', FLAG),
  };
}

const SHARED = Object.keys(sharedParameters(String)).map((name) => ({ $ref: `#/components/parameters/${name}` }));

const isPath = (name: string, path: string): boolean => path.includes(`:${name}`);

/** Headers that make a write safe (our own addition). */
function conditions(endpoint: Endpoint, method: Method, translate: Translate): Json[] {
  const header = (name: string, key: string, schema: Json): Json => ({
    name,
    in: 'header',
    required: false,
    description: translate(key),
    schema: { type: 'string', ...schema },
  });
  const example = '5d0f6e1c-6f0b-4f7e-9c58-2a1d1f0c7b3e';
  return [
    ...(endpoint.writes && !endpoint.doc.name.endsWith('.create')
      ? [header('If-Match', 'header.if_match', { examples: [TAG] })]
      : []),
    ...(endpoint.slugTaken ? [header('If-None-Match', 'header.if_none_match', { enum: ['*'], examples: ['*'] })] : []),
    // Every POST in this API writes, and can be repeated safely with a key.
    ...(method === 'POST'
      ? [header('Idempotency-Key', 'header.idempotency', { pattern: '^[!-~]{1,255}$', examples: [example] })]
      : []),
  ];
}

function parameter(name: string, arg: Arg, path: string, describing: Describing): Json {
  const { schema, example } = describeValue(name, arg);
  const standard = defaultOf(arg, schema, describing);
  return {
    name,
    in: isPath(name, path) ? 'path' : 'query',
    required: isPath(name, path),
    ...(arg.described.description ? { description: describing.translate(arg.described.description) } : {}),
    ...(schema.anyOf !== undefined ? LIST : {}),
    schema: {
      ...schema,
      ...limitsOf(arg, describing),
      ...(standard !== undefined ? { default: standard } : {}),
      // In the schema, not beside it: there, tools would fill in every optional parameter when somebody tries out a
      // route.
      ...(example !== undefined ? { examples: [example] } : {}),
    },
  };
}

export function parameters(endpoint: Endpoint, method: Method, path: string, describing: Describing): Json[] {
  const declared = Object.entries(endpoint.described)
    .filter(([name]) => !endpoint.writes || isPath(name, path) || endpoint.methods.includes('DELETE'))
    .map(([name, arg]) => parameter(name, arg, path, describing));
  return [...declared, ...SHARED, ...conditions(endpoint, method, describing.translate)];
}
