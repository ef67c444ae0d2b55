import type { TSchema } from 'typebox';
import type { Caller } from '../access/rights.js';
import type { Db } from '../db/database.js';
import type { FailureCode } from '../errors.js';
import { type Args, arg, readArgs, readingOf, required } from './args.js';
import type { Context, Target } from './context.js';
import type { Kind } from './kind.js';
import { type ListAnswer, listShape } from './list.js';
import { filledText, integer } from './readers.js';

/** The route table, as data: what serves requests, the index and the documentation all read it. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Answer {
  status: number;
  /** A member that stays in the answer even when `_fields` does not ask for it. */
  kept?: string;
  body: unknown;
  list?: ListAnswer;
  /** Address of a record that was made. */
  location?: string;
  /** Seconds since 1970 until which the question has this answer, if nothing changes; absent: it is not kept. */
  until?: number;
  /** Given before, to the same request. */
  replayed?: true;
  /** What is left to do when the data is safe. */
  afterwards?: () => Promise<void>;
}

/** What the documents say of an endpoint beside its parameters. */
export interface Doc {
  /** `event.list`, `me`: names the operation in catalogues and documents. */
  name: string;
  group: string;
  shape: TSchema;
  failures: FailureCode[];
}

export interface Endpoint {
  doc: Doc;
  methods: Method[];
  /** What is read, in the order in which it is declared. */
  args: Args;
  /** What is described: also the variables of the path, which come first. */
  described: Args;
  /** Changes data: runs in a transaction. */
  writes: boolean;
  /** The parameter that sets a password. */
  secret?: string | undefined;
  /** Makes a record under a slug that is asked for: whether there is one already. */
  slugTaken?: Kind['slugTaken'];
  /** Takes a picture as its body, or as a file of a form. */
  uploads?: true;
  run: (context: Context, target: Target | undefined) => Promise<Answer>;
}

export interface Route {
  /** Below the namespace; `:id` and `:slug` are its variables. */
  path: string;
  endpoints: Endpoint[];
  /** Methods the caller may use here, for the header `Allow`. */
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

/** The variable in the path of a single record. By slug, an event's password is honoured but not declared. */
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
      // By slug it is not declared, so that an empty one is none.
      const isNone = by === 'slug' && asking.given.password === '';
      const context = isNone ? { ...asking, given: { ...asking.given, password: undefined } } : asking;
      const values = await valuesOf(context, part.args, false);
      return { status: 200, body: await part.run(context, at(target), values), until: Number.POSITIVE_INFINITY };
    },
  });
  const read = operation('read', ['GET'], kind.read);
  const remove = operation('remove', ['DELETE'], kind.remove);
  const update = operation('update', UPDATES, kind.update);
  // The order in which the namespace index shows them.
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
