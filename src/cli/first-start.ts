import { createUser } from '../accounts/accounts.js';
import { listCredentials } from '../accounts/credential.store.js';
import { countUsers, listUsers } from '../accounts/user.store.js';
import type { Config } from '../config.js';
import type { Database, Db } from '../db/database.js';
import { counts } from './check.store.js';

export interface Administrator {
  username: string;
  password: string;
}

const NAME = 'admin';

/** Somebody must be able to sign in first. After any user, even one since removed, none is created by itself. */
export async function firstAdministrator(database: Database): Promise<Administrator | undefined> {
  return database.write(async (db) => {
    if ((await countUsers(db)) > 0) return undefined;
    const { user, secret } = await createUser(db, NAME, 'administrator', 'first start');
    return { username: user.username, password: secret };
  });
}

/** Until an administrator has signed in: the one of the first start, whose password may be lost; or there is none. */
export type AwaitedAdministrator = { administrator: string | undefined };

export async function awaitedAdministrator(database: Database): Promise<AwaitedAdministrator | undefined> {
  return database.read(async (db) => {
    const administrators = (await listUsers(db)).filter(({ role }) => role === 'administrator');
    for (const { id } of administrators) {
      const own = [...(await listCredentials(db, 'password', id)), ...(await listCredentials(db, 'token', id))];
      if (own.some(({ last_used_at }) => last_used_at !== null)) return undefined;
    }
    const first = administrators.find(({ username }) => username === NAME);
    return first || administrators.length === 0 ? { administrator: first?.username } : undefined;
  });
}

/** Only for an empty calendar, so that samples never mix with real records; an administrator is their author. */
export async function addSamples(config: Config, database: Database, warn: (error: unknown) => void): Promise<void> {
  const isEmpty = async (db: Db): Promise<boolean> => {
    const { events, venues, organizers, terms } = await counts(db);
    return events + venues + organizers + terms === 0;
  };
  const admin = await database.read(async (db) =>
    (await isEmpty(db)) ? (await listUsers(db)).find(({ role }) => role === 'administrator') : undefined,
  );
  if (!admin) return;
  const { addSampleCalendar } = await import('../demo/sample.js');
  await addSampleCalendar({ config, database, adminId: admin.id, isEmpty, warn });
}
