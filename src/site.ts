import type { Config } from './config.js';
import type { Site } from './records/context.js';
import { findZone, UTC } from './time/zone.js';

/** The site, as operations see it. */
export function siteOf(config: Config): Site {
  return {
    zone: findZone(config.timezone) ?? UTC,
    currencySymbol: config.currencySymbol,
    currencyCode: config.currencyCode,
    perPage: config.perPage,
    perPageMost: config.perPageMax,
  };
}
