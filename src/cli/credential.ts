import { issue } from '../accounts/accounts.js';
import { type CredentialKind, listCredentials, revokeCredential } from '../accounts/credential.store.js';
import { nowSeconds } from '../time/clock.js';
import { command, configOf, databaseArgs, type Group, jsonArg } from './command.js';
import { EXIT, jsonTime, printJson, printTable, Refusal, shownTime } from './io.js';
import { reading, writing } from './open.js';
import { printSecret, requireUser } from './user.js';

const KINDS = {
  password: {
    title: 'application password',
    member: 'application_password',
    use: 'Use it with the user name for HTTP Basic authentication.',
  },
  token: { title: 'API token', member: 'token', use: 'Use it as "Authorization: Bearer TOKEN".' },
} as const;

const LONGEST_NAME = 100;

/** Application passwords and tokens differ only in how they are sent. */
export function credentialCommands(kind: CredentialKind): Group {
  const { title, member, use } = KINDS[kind];

  const create = command({
    summary: `Create an ${title}`,
    notes: [`The ${title} is shown once. ${use}`],
    args: {
      user: { type: 'positional', required: true, description: 'User it is for.' },
      name: { type: 'string', valueHint: 'text', description: 'Label that tells you in the list what it is for.' },
      ...jsonArg,
      ...databaseArgs,
    },
    async run(args, io) {
      const name = args.name?.trim() || 'command line';
      if ([...name].length > LONGEST_NAME || /[\p{Cc}\p{Cs}]/u.test(name)) {
        throw new Refusal(`--name must be one line of at most ${LONGEST_NAME} characters.`, EXIT.usage);
      }
      const { user, made } = await writing(configOf(args, io), async (db) => {
        const found = await requireUser(db, args.user);
        return { user: found, made: await issue(db, found, kind, name) };
      });
      if (args.json) printJson(io, { id: made.id, username: user.username, name, [member]: made.secret });
      else {
        io.out(`Created ${title} ${made.id} (${name}) for ${user.username}.`);
        printSecret(io, kind === 'token' ? 'Token' : 'Application password', made.secret);
      }
      return EXIT.ok;
    },
  });

  const list = command({
    summary: `List the ${title}s of all users or of one`,
    args: {
      user: { type: 'positional', required: false, description: 'Name of the user.' },
      ...jsonArg,
      ...databaseArgs,
    },
    async run(args, io) {
      const found = await reading(configOf(args, io), async (db) => {
        const id = args.user === undefined ? undefined : (await requireUser(db, args.user)).id;
        return listCredentials(db, kind, id);
      });
      if (args.json) {
        const shown = found.map(({ id, user, name, created_at, last_used_at }) => ({
          id,
          username: user,
          name,
          created_at: jsonTime(created_at),
          last_used_at: jsonTime(last_used_at),
        }));
        printJson(io, shown);
      } else if (found.length === 0) io.out(`There are no ${title}s.`);
      else {
        const rows = found.map((c) => [
          String(c.id),
          c.user,
          c.name,
          shownTime(c.created_at),
          shownTime(c.last_used_at),
        ]);
        printTable(io, ['ID', 'USER', 'NAME', 'CREATED', 'LAST USED'], rows);
      }
      return EXIT.ok;
    },
  });

  const revoke = command({
    summary: `Revoke an ${title}, with immediate effect`,
    args: {
      id: { type: 'positional', required: true, description: `Its ID, from "kalends ${kind} list".` },
      ...jsonArg,
      ...databaseArgs,
    },
    async run(args, io) {
      if (!/^\d{1,15}$/.test(args.id)) {
        throw new Refusal(`ID must be a number from "kalends ${kind} list", not "${args.id}".`, EXIT.usage);
      }
      const done = await writing(configOf(args, io), (db) => revokeCredential(db, kind, Number(args.id), nowSeconds()));
      if (!done) throw new Refusal(`There is no ${title} ${args.id}. See "kalends ${kind} list".`);
      if (args.json) printJson(io, { id: Number(args.id), revoked: true });
      else io.out(`Revoked ${title} ${args.id}.`);
      return EXIT.ok;
    },
  });

  return { summary: `Manage ${title}s`, commands: { create, list, revoke } };
}
