import { type Static, Type } from 'typebox';
import { type Caller, editsOthers, managesTerms, publishes, uploads, writes } from '../access/rights.js';
import type { Route } from '../records/routes.js';

const right = Type.Boolean();
const Me = Type.Object(
  {
    authenticated: Type.Boolean({ description: 'shape.me.authenticated' }),
    id: Type.Integer({ description: 'shape.id' }),
    username: Type.String({ description: 'shape.me.username', examples: ['ada'] }),
    role: Type.String({ description: 'shape.me.role', examples: ['editor'] }),
    rights: Type.Object(
      {
        create: right,
        publish: right,
        edit_others: right,
        upload: right,
        manage_categories: right,
        manage_tags: right,
      },
      { description: 'shape.me.rights' },
    ),
    authorization_header: Type.String({ description: 'shape.me.header', examples: ['received'] }),
    authorization_scheme: Type.String({ description: 'shape.me.scheme', examples: ['basic'] }),
  },
  { $id: 'Me', description: 'shape.me' },
);

/** `GET /users/me`: who the caller is, what it may do, and whether its credentials arrived at all. */
export const meRoute: Route = {
  path: '/users/me',
  endpoints: [
    {
      doc: { name: 'me', group: 'about', shape: Me, failures: [] },
      methods: ['GET'],
      args: {},
      described: {},
      writes: false,
      run: async (context) => ({ status: 200, body: meView(context.caller, context.scheme) }),
    },
  ],
  allowed: async () => ['GET'],
};

function meView(caller: Caller, scheme: string | undefined): Static<typeof Me> {
  return {
    authenticated: caller.user !== undefined,
    id: caller.user?.id ?? 0,
    username: caller.user?.username ?? '',
    role: caller.user?.role ?? '',
    rights: {
      create: writes(caller),
      publish: publishes(caller),
      edit_others: editsOthers(caller),
      upload: uploads(caller),
      manage_categories: managesTerms(caller, 'category'),
      manage_tags: managesTerms(caller, 'tag'),
    },
    // Proxies are known to strip this header: a caller can see here whether it got through.
    authorization_header: scheme === undefined ? 'missing' : 'received',
    authorization_scheme: scheme ?? '',
  };
}
