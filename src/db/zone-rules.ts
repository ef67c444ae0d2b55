import type { Database, Db } from './database.js';
import { readSetting, writeSetting } from './settings.js';

/** The version of the time zone rules by which the instants in a database were calculated: governments change them. */

const NAME = 'zone.rules';

/** This process has those of its Node: '2026c'. Empty if Node was built without them. */
export const RULES = process.versions.tz ?? '';

export const rulesNoted = async (db: Db): Promise<string> => (await readSetting(db, NAME)) ?? '';

/**
 * A process with older rules than the noted ones writes times by its own, while others are being replaced: it notes
 * these, so that one with newer rules looks at the events again.
 */
export async function admitOlderRules(database: Database): Promise<void> {
  if ((await database.read(rulesNoted, { fresh: true })) > RULES) await database.write(noteRules);
}

export const noteRules = (db: Db): Promise<void> => writeSetting(db, NAME, RULES);
