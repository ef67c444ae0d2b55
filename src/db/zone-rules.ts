import type { Db } from './database.js';
import { readSetting, writeSetting } from './settings.js';

/** By which rules of time zones the instants in a database were reckoned: governments change them. */

const NAME = 'zone.rules';

/** Those of this process came with Node: '2026c'. A build without them tells none. */
export const RULES = process.versions.tz ?? '';

/** Whether this process knows newer ones. Those who run beside it may know newer ones still. */
export async function hasOlderRules(db: Db): Promise<boolean> {
  return ((await readSetting(db, NAME)) ?? '') < RULES;
}

export const noteRules = (db: Db): Promise<void> => writeSetting(db, NAME, RULES);
