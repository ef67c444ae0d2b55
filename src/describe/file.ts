import { translator } from '../i18n/translate.js';
import type { Route } from '../records/routes.js';
import { UTC } from '../time/zone.js';
import { type About, openApi } from './openapi.js';

/** The document of a calendar with default settings, at an example address: what is committed as docs/openapi.json. */
export function documentFile(
  routes: (about: About, removeFiles: () => Promise<void>) => Route[],
  version: string,
): string {
  const about = { siteName: 'Kalends', version };
  const home = 'https://calendar.example';
  const document = openApi(
    routes(about, async () => undefined),
    {
      address: {
        home,
        api: `${home}/api/calendar/events/v1`,
        global: 'calendar.example',
        root: `${home}/api`,
        namespace: 'calendar/events/v1',
      },
      translate: translator('en'),
      site: { zone: UTC, currencySymbol: '$', currencyCode: 'USD', perPage: 10, perPageMost: 50 },
      now: 0,
    },
    about,
  );
  return `${JSON.stringify(document, null, 2)}\n`;
}
