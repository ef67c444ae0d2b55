import type { Db } from './database.js';
import { readSetting, writeSetting } from './settings.js';

/** The version of the time zone rules by which the instants in a database were calculated: governments change them. */

const NAME = 'zone.rules';

/** This process has those of its Node: '2026c'. Empty if Node was built without them. */
export const RULES = process.versions.tz ?? '';

/** Whether this process has newer rules than the database. Other instances may have still newer ones. */
export async function hasOlderRules(db: Db): Promise<boolean> {
  return ((await readSetting(db, NAME)) ?? '') < RULES;
}

export const noteRules = (db: Db): Promise<void> => writeSetting(db, NAME, RULES);
