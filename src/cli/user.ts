import { isRole, ROLES, type Role } from '../access/rights.js';
import { createUser } from '../accounts/accounts.js';
import { problemWithUsername } from '../accounts/user.rules.js';
import { findUser, listUsers, removeUser, setRole, type User } from '../accounts/user.store.js';
import type { Db } from '../db/database.js';
import { nearest } from '../text/nearest.js';
import { nowSeconds } from '../time/clock.js';
import { command, configOf, databaseArgs, forceArg, type Group, jsonArg } from './command.js';
import { EXIT, type Io, jsonTime, printJson, printTable, Refusal, shownTime } from './io.js';
import { reading, writing } from './open.js';

const nameArg = { name: { type: 'positional', required: true, description: 'User name.' } } as const;
const roles = ROLES.join(', ');

function roleOf(text: string): Role {
  if (isRole(text)) return text;
  const close = nearest(text, ROLES);
  throw new Refusal(
    `"${text}" is not a role. ${close ? `Did you mean ${close}?` : `Use one of ${roles}.`}`,
    EXIT.usage,
  );
}

export async function requireUser(db: Db, name: string): Promise<User> {
  const user = await findUser(db, name);
  if (!user) throw new Refusal(`There is no user "${name}". See "kalends user list".`);
  return user;
}

/** Without an administrator, only this command line could let anybody in again. */
async function requireAnotherAdministrator(db: Db, user: User, force: boolean | undefined): Promise<void> {
  if (force || user.role !== 'administrator') return;
  const others = (await listUsers(db)).filter(({ id, role }) => role === 'administrator' && id !== user.id);
  if (others.length > 0) return;
  throw new Refusal(`"${user.username}" is the last administrator. Add another one first, or use --force.`);
}

const add = command({
  summary: 'Add a user, and create a first application password',
  notes: ['The application password is shown once. Use it with the user name for HTTP Basic authentication.'],
  args: {
    ...nameArg,
    role: { type: 'string', required: true, valueHint: ROLES.join('|'), description: 'What the user may do.' },
    ...jsonArg,
    ...databaseArgs,
  },
  async run(args, io) {
    const role = roleOf(args.role);
    const problem = problemWithUsername(args.name);
    if (problem) throw new Refusal(`The user name ${problem}.`, EXIT.usage);
    const work = async (db: Db) => {
      const taken = await findUser(db, args.name);
      if (taken) throw new Refusal(`The user name "${taken.username}" is taken. Choose another.`);
      return createUser(db, args.name, role, 'first');
    };
    const made = await writing(configOf(args, io), work, true);
    const { id, username } = made.user;
    if (args.json) printJson(io, { id, username, role, application_password: made.secret });
    else {
      io.out(`Added ${username} (${role}).`);
      printSecret(io, 'Application password', made.secret);
    }
    return EXIT.ok;
  },
});

export function printSecret(io: Io, label: string, secret: string): void {
  io.out(`${label}: ${secret}`);
  io.out('It will not be shown again.');
}

const list = command({
  summary: 'List the users',
  args: { ...jsonArg, ...databaseArgs },
  async run(args, io) {
    const users = await reading(configOf(args, io), listUsers);
    if (args.json)
      printJson(
        io,
        users.map((user) => ({ ...user, created_at: jsonTime(user.created_at) })),
      );
    else if (users.length === 0) io.out('There are no users.');
    else {
      const rows = users.map((user) => [String(user.id), user.username, user.role, shownTime(user.created_at)]);
      printTable(io, ['ID', 'NAME', 'ROLE', 'ADDED'], rows);
    }
    return EXIT.ok;
  },
});

const changeRole = command({
  summary: 'Change the role of a user',
  args: {
    ...nameArg,
    role: { type: 'positional', required: true, description: `One of ${roles}.` },
    ...forceArg('Do it even if no administrator is left.'),
    ...jsonArg,
    ...databaseArgs,
  },
  async run(args, io) {
    const role = roleOf(args.role);
    const user = await writing(configOf(args, io), async (db) => {
      const found = await requireUser(db, args.name);
      if (role !== 'administrator') await requireAnotherAdministrator(db, found, args.force);
      await setRole(db, found.id, role);
      return found;
    });
    if (args.json) printJson(io, { id: user.id, username: user.username, role });
    else io.out(`${user.username} is now ${role}.`);
    return EXIT.ok;
  },
});

const remove = command({
  summary: 'Remove a user; the records of the user stay',
  args: { ...nameArg, ...forceArg('Do it even if no administrator is left.'), ...jsonArg, ...databaseArgs },
  async run(args, io) {
    const user = await writing(configOf(args, io), async (db) => {
      const found = await requireUser(db, args.name);
      await requireAnotherAdministrator(db, found, args.force);
      await removeUser(db, found, nowSeconds());
      return found;
    });
    if (args.json) printJson(io, { id: user.id, username: user.username, removed: true });
    else io.out(`Removed ${user.username}; the passwords and tokens of this user no longer work.`);
    return EXIT.ok;
  },
});

export const user: Group = {
  summary: 'Manage users and their roles',
  commands: { add, list, 'set-role': changeRole, remove },
};
