import type { Caller } from '../access/rights.js';
import type { Db } from '../db/database.js';
import { type Args, readArgs } from './args.js';
import type { Context, Target } from './context.js';
import type { Kind } from './kind.js';
import type { ListAnswer } from './list.js';

/** The route table, as data: what serves requests, the index and the documentation all read it. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Answer {
  status: number;
  body: unknown;
  list?: ListAnswer;
  /** Path below the namespace of a record that was made. */
  location?: string;
}

export interface Endpoint {
  methods: Method[];
  /** In the order in which they are declared; those of the path come first. */
  args: Args;
  /** Changes data: runs in a transaction. */
  writes: boolean;
  /** The parameter that sets a password. */
  secret?: string | undefined;
  run: (context: Context, target: Target | undefined) => Promise<Answer>;
}

export interface Route {
  /** Below the namespace; `:id` and `:slug` are its variables. */
  path: string;
  endpoints: Endpoint[];
  /** Methods the caller may use here, for the header `Allow`. */
  allowed: (db: Db, caller: Caller, target: Target | undefined) => Promise<Method[]>;
}

const UPDATES: Method[] = ['POST', 'PUT', 'PATCH'];

async function valuesOf(context: Context, args: Args, creating: boolean): Promise<never> {
  const { db, caller, site, now, given } = context;
  return (await readArgs(args, given, { db, caller, site: site.zone, now, creating })) as never;
}

function collection(kind: Kind): Route {
  return {
    path: `/${kind.plural}`,
    endpoints: [
      {
        methods: ['GET'],
        args: kind.list.args,
        writes: false,
        run: async (context) => {
          const list = await kind.list.run(context, await valuesOf(context, kind.list.args, false));
          return { status: 200, body: list.body, list };
        },
      },
      {
        methods: ['POST'],
        args: kind.create.args,
        writes: true,
        secret: kind.create.secret,
        run: async (context) => {
          const body = await kind.create.run(context, await valuesOf(context, kind.create.args, true));
          return { status: 201, body, location: `/${kind.plural}/${(body as { id: number }).id}` };
        },
      },
    ],
    allowed: async (_db, caller) => (kind.mayCreate(caller) ? ['GET', 'POST'] : ['GET']),
  };
}

function single(kind: Kind, path: string): Route {
  const at = (target: Target | undefined): Target => target ?? { by: 'id', id: 0 };
  const operation = (methods: Method[], writes: boolean, part: Kind['read'] | Kind['update']): Endpoint => ({
    methods,
    args: part.args,
    writes,
    secret: 'secret' in part ? part.secret : undefined,
    run: async (context, target) => {
      const values = await valuesOf(context, part.args, false);
      return { status: 200, body: await part.run(context, at(target), values) };
    },
  });
  const read = operation(['GET'], false, kind.read);
  const remove = operation(['DELETE'], true, kind.remove);
  const update = operation(UPDATES, true, kind.update);
  // The order in which the namespace index shows them.
  const endpoints = kind.slugs ? [read, remove, update] : [read, update, remove];
  return {
    path,
    endpoints,
    allowed: async (db, caller, target) =>
      (await kind.maySend(db, caller, at(target))) ? endpoints.flatMap((endpoint) => endpoint.methods) : ['GET'],
  };
}

export function routesOf(kinds: Kind[]): Route[] {
  return kinds.flatMap((kind) => [
    collection(kind),
    single(kind, `/${kind.plural}/:id`),
    ...(kind.slugs ? [single(kind, `/${kind.plural}/by-slug/:slug`)] : []),
  ]);
}
