import { type TSchema, Type } from 'typebox';
import { NOTHING } from '../records/basis.js';
import type { Describing } from '../records/context.js';
import type { Route } from '../records/routes.js';
import { doc } from './doc.js';
import { namespaceRoute } from './namespace.js';
import { type About, openApi } from './openapi.js';

/** The routes by which the API describes itself; `all` is the whole table, including these. */
const anything: TSchema = Type.Record(Type.String(), Type.Unknown());

function documentRoute(path: string, name: string, make: (describing: Describing) => unknown): Route {
  return {
    path,
    endpoints: [
      {
        doc: { name, group: 'about', shape: anything, failures: [] },
        methods: ['GET'],
        args: {},
        described: {},
        writes: false,
        run: async (context) => {
          if (context.kept) context.kept.basis = NOTHING;
          return { status: 200, body: make(context), until: Number.POSITIVE_INFINITY };
        },
      },
    ],
    allowed: async () => ['GET'],
  };
}

/** The routes of the specification come first in the index, our own after them. */
export function withDescriptions(kinds: Route[], ours: Route[], about: About): Route[] {
  const all: Route[] = [];
  all.push(
    namespaceRoute(() => all),
    documentRoute('/doc', 'doc', (describing) => doc(all, describing, about)),
    ...kinds,
    ...ours,
    documentRoute('/openapi.json', 'openapi', (describing) => openApi(all, describing, about)),
  );
  return all;
}
