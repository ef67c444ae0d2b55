import { categoryKind } from './categories/category.js';
import type { ImageTable } from './db/tables.js';
import type { About } from './describe/openapi.js';
import { withDescriptions } from './describe/routes.js';
import { eventKind } from './events/event.js';
import { meRoute } from './http/me.js';
import { mediaRoutes } from './images/image.js';
import { organizerKind } from './organizers/organizer.js';
import { type Route, routesOf } from './records/routes.js';
import { tagKind } from './tags/tag.js';
import { venueKind } from './venues/venue.js';

/** Every route of the API, in the order of the namespace index: the specified ones, then our own. */
export function apiRoutes(about: About, removeFiles: (image: ImageTable) => Promise<void>): Route[] {
  const kinds = [eventKind, venueKind, organizerKind, categoryKind, tagKind];
  return withDescriptions(routesOf(kinds), [...mediaRoutes(removeFiles), meRoute], about);
}
