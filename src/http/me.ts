import { type Caller, editsOthers, managesTerms, publishes, uploads, writes } from '../access/rights.js';
import type { Route } from '../records/routes.js';

/** `GET /users/me`: who the caller is, what it may do, and whether its credentials arrived at all. */
export const meRoute: Route = {
  path: '/users/me',
  endpoints: [
    {
      methods: ['GET'],
      args: {},
      writes: false,
      run: async (context) => ({ status: 200, body: meView(context.caller, context.scheme) }),
    },
  ],
  allowed: async () => ['GET'],
};

function meView(caller: Caller, scheme: string | undefined): Record<string, unknown> {
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
