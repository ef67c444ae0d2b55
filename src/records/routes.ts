import type { TSchema } from 'typebox';
import type { Caller } from '../access/rights.js';
import type { Db } from '../db/database.js';
import type { FailureCode } from '../errors.js';
import { type Args, arg, readArgs, readingOf, required } from './args.js';
import type { Context, Target } from './context.js';
import type { Kind } from './kind.js';
import { type ListAnswer, listShape } from './list.js';
import { filledText, integer } from './readers.js';

/** The route table, as data: requests are served from it, and index and documentation are made from it. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Answer {
  status: number;
  /** A member that stays in the response even if `_fields` does not ask for it. */
  kept?: string;
  body: unknown;
  list?: ListAnswer;
  /** Address of the record that was created. */
  location?: string;
  /** Until when the request has this response if no data changes, in seconds since 1970; absent: it is not cached. */
  until?: number;
  /** This is the stored response to an earlier attempt of the same request. */
  replayed?: true;
  /** Work to be done once the data is safe. */
  afterwards?: () => Promise<void>;
}

/** What the documentation says about an endpoint in addition to its parameters. */
export interface Doc {
  /** `event.list`, `me`: the name of the operation in message catalogues and documents. */
  name: string;
  group: string;
  shape: TSchema;
  failures: FailureCode[];
}

export interface Endpoint {
  doc: Doc;
  methods: Method[];
  /** The parameters that are read, in the order of their declaration. */
  args: Args;
  /** The parameters that are described: those of the path come first. */
  described: Args;
  /** It changes data, so it runs in a transaction. */
  writes: boolean;
  /** The parameter that sets a password. */
  secret?: string | undefined;
  /** For endpoints that create a record under a requested slug: whether that slug is taken. */
  slugTaken?: Kind['slugTaken'];
  /** It accepts a picture as its body, or as a file in a form. */
  uploads?: true;
  run: (context: Context, target: Target | undefined) => Promise<Answer>;
}

export interface Route {
  /** Below the namespace; `:id` and `:slug` are variables. */
  path: string;
  endpoints: Endpoint[];
  /** Methods the caller may use here, for the `Allow` header. */
  allowed: (db: Db, caller: Caller, target: Target | undefined) => Promise<Method[]>;
}

export const methodsOf = (route: Route): Method[] => route.endpoints.flatMap((endpoint) => endpoint.methods);

const UPDATES: Method[] = ['POST', 'PUT', 'PATCH'];

const valuesOf = async (context: Context, args: Args, creating: boolean): Promise<never> =>
  (await readArgs(args, context.given, readingOf(context, creating))) as never;

const docOf = (kind: Kind, operation: keyof Kind['failures']): Doc => ({
  name: `${kind.singular}.${operation}`,
  group: kind.plural,
  shape: operation === 'list' ? listShape(kind.plural, kind.shape) : kind.shape,
  failures: kind.failures[operation],
});

function collection(kind: Kind): Route {
  return {
    path: `/${kind.plural}`,
    endpoints: [
      {
        doc: docOf(kind, 'list'),
        methods: ['GET'],
        args: kind.list.args,
        described: kind.list.args,
        writes: false,
        run: async (context) => {
          const list = await kind.list.run(context, await valuesOf(context, kind.list.args, false));
          return { status: 200, body: list.body, list, until: list.until ?? 0 };
        },
      },
      {
        doc: docOf(kind, 'create'),
        methods: ['POST'],
        args: kind.create.args,
        described: kind.create.args,
        writes: true,
        secret: kind.create.secret,
        slugTaken: kind.slugTaken,
        run: async (context) => {
          const body = await kind.create.run(context, await valuesOf(context, kind.create.args, true));
          return {
            status: 201,
            body,
            location: `${context.address.api}/${kind.plural}/${(body as { id: number }).id}`,
          };
        },
      },
    ],
    allowed: async (_db, caller) => (kind.mayCreate(caller) ? ['GET', 'POST'] : ['GET']),
  };
}

/** All parameters, that of the path first. By slug, an event's password is honoured but not declared (`ours`). */
function pathArgs(kind: Kind, by: 'id' | 'slug', args: Args, updates: boolean): Args {
  const id = arg({ type: 'integer', description: `arg.${kind.singular}.id` }, integer);
  const slug = arg({ type: 'string', description: `arg.${kind.singular}.by_slug` }, filledText(2000));
  if (by === 'id') return { ...required({ id }, 'id'), ...args };
  const { slug: _own, password, ...others } = args;
  const declared = password ? { ...others, password: { ...password, ours: true } } : others;
  const optional = updates && kind.singular === 'event';
  return { ...(optional ? { slug } : required({ slug }, 'slug')), ...declared };
}

function single(kind: Kind, by: 'id' | 'slug'): Route {
  const at = (target: Target | undefined): Target => {
    if (!target) throw new Error('A single record is asked for by its id or slug');
    return target;
  };
  const operation = (
    name: 'read' | 'update' | 'remove',
    methods: Method[],
    part: Kind['read'] | Kind['update'],
  ): Endpoint => ({
    doc: docOf(kind, name),
    methods,
    args: part.args,
    described: pathArgs(kind, by, part.args, name === 'update'),
    writes: name !== 'read',
    secret: 'secret' in part ? part.secret : undefined,
    run: async (asking, target) => {
      // By slug `password` is not declared by the reference, so an empty one counts as none.
      const isNone = by === 'slug' && asking.given.password === '';
      const context = isNone ? { ...asking, given: { ...asking.given, password: undefined } } : asking;
      const values = await valuesOf(context, part.args, false);
      return { status: 200, body: await part.run(context, at(target), values), until: Number.POSITIVE_INFINITY };
    },
  });
  const read = operation('read', ['GET'], kind.read);
  const remove = operation('remove', ['DELETE'], kind.remove);
  const update = operation('update', UPDATES, kind.update);
  // The namespace index shows them in this order.
  const endpoints = kind.slugs ? [read, remove, update] : [read, update, remove];
  return {
    path: by === 'id' ? `/${kind.plural}/:id` : `/${kind.plural}/by-slug/:slug`,
    endpoints,
    allowed: async (db, caller, target) =>
      (await kind.maySend(db, caller, at(target))) ? endpoints.flatMap((endpoint) => endpoint.methods) : ['GET'],
  };
}

export function routesOf(kinds: Kind[]): Route[] {
  return kinds.flatMap((kind) => [collection(kind), single(kind, 'id'), ...(kind.slugs ? [single(kind, 'slug')] : [])]);
}
