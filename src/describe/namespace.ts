import { Type } from 'typebox';
import { Failure } from '../errors.js';
import { type Arg, type Args, arg, type Reader } from '../records/args.js';
import { NOTHING } from '../records/basis.js';
import type { Describing } from '../records/context.js';
import type { Route } from '../records/routes.js';
import { tomorrow } from '../time/clock.js';
import { workedOut } from './values.js';

/** The namespace index: every route with its parameters, from the same table that serves them. */

/** The members that a parameter declares, in that order; `required` comes last. */
function describeArg(arg: Arg, context: Describing): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(arg.described)) {
    if (member === 'description') shown.description = context.translate(String(value));
    else shown[member] = workedOut(value, context);
  }
  return { ...shown, required: arg.required };
}

const describeArgs = (args: Args, context: Describing): unknown =>
  Object.keys(args).length === 0
    ? []
    : Object.fromEntries(Object.entries(args).map(([name, arg]) => [name, describeArg(arg, context)]));

export function describeRoute(route: Route, context: Describing): Record<string, unknown> {
  const fixed = !route.path.includes(':');
  return {
    namespace: context.address.namespace,
    methods: route.endpoints.flatMap((endpoint) => endpoint.methods),
    endpoints: route.endpoints.map((endpoint) => ({
      methods: endpoint.methods,
      args: describeArgs(endpoint.described, context),
    })),
    ...(fixed ? { _links: { self: [{ href: context.address.api + route.path }] } } : {}),
  };
}

/** The route's path as clients of the index expect it: with variables as named groups of a pattern. */
const pattern = (path: string): string => path.replace(':id', '(?P<id>\\d+)').replace(':slug', '(?P<slug>[^/]+)');

function describeNamespace(routes: Route[], context: Describing): Record<string, unknown> {
  const { namespace, root } = context.address;
  return {
    namespace,
    routes: Object.fromEntries(
      routes.map((route) => [`/${namespace}${pattern(route.path)}`, describeRoute(route, context)]),
    ),
    _links: { up: [{ href: `${root}/` }] },
  };
}

/** Not read here: the operation itself looks at what was given. */
const unread: Reader<undefined> = () => ({ value: undefined });

/** `GET {api_base}`: the index of this namespace, the only one there is. */
export function namespaceRoute(routes: () => Route[]): Route {
  const described: Args = {
    namespace: arg({ default: (context: Describing) => context.address.namespace }, unread),
    context: arg({ default: 'view' }, unread),
  };
  return {
    path: '',
    endpoints: [
      {
        doc: {
          name: 'namespace',
          group: 'about',
          shape: Type.Record(Type.String(), Type.Unknown()),
          failures: ['rest_invalid_namespace'],
        },
        methods: ['GET'],
        args: {},
        described,
        writes: false,
        run: async (context) => {
          const asked = context.given.namespace;
          if (asked !== undefined && asked !== context.address.namespace) throw new Failure('rest_invalid_namespace');
          if (context.kept) context.kept.basis = NOTHING;
          // The index contains default dates, which change every day.
          const until = tomorrow(context.now, context.site.zone);
          return { status: 200, body: describeNamespace(routes(), context), kept: '_links', until };
        },
      },
    ],
    allowed: async () => ['GET'],
  };
}
