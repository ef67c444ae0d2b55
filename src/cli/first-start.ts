import { createUser } from '../accounts/accounts.js';
import { countUsers, listUsers } from '../accounts/user.store.js';
import type { Config } from '../config.js';
import type { Database } from '../db/database.js';
import { counts } from './check.store.js';

export interface Administrator {
  username: string;
  password: string;
}

/** Somebody has to be let in first. Once there was a user, also a removed one, nobody is made by itself again. */
export async function firstAdministrator(database: Database): Promise<Administrator | undefined> {
  return database.write(async (db) => {
    if ((await countUsers(db)) > 0) return undefined;
    const { user, secret } = await createUser(db, 'admin', 'administrator', 'first start');
    return { username: user.username, password: secret };
  });
}

/** The sample calendar never mixes with somebody's own records, and has an author. */
export async function addSamples(config: Config, database: Database): Promise<void> {
  const { found, admin } = await database.read(async (db) => ({
    found: await counts(db),
    admin: (await listUsers(db)).find(({ role }) => role === 'administrator'),
  }));
  if (!admin || found.events + found.venues + found.organizers + found.terms > 0) return;
  const { addSampleCalendar } = await import('../demo/sample.js');
  await addSampleCalendar({ config, database, adminId: admin.id });
}
