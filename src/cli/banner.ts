import path from 'node:path';
import type { Config } from '../config.js';
import { namespacePath } from '../config.paths.js';
import { isPostgres } from '../db/postgres-url.js';
import type { Administrator, AwaitedAdministrator } from './first-start.js';
import { databaseAddress, databaseFile } from './open.js';

/** Without this flag, another command would use another file. A server's address may hold a password. */
function placeOf(config: Config): string {
  if (isPostgres(config.databaseUrl)) return '';
  const file = path.resolve(databaseFile(config));
  if (file === path.resolve('data', 'kalends.db')) return '';
  return ` --database-url ${/[^\w./-]/.test(file) ? `'${file}'` : file}`;
}

/** What people see when the server has started. */
export function banner(started: {
  config: Config;
  version: string;
  address: string;
  /** Created at this start. */
  admin: Administrator | undefined;
  /** Created at an earlier start and not signed in yet; or there is none. */
  awaited: AwaitedAdministrator | undefined;
  /** The name by which the user starts the program. */
  program: string;
}): string {
  const { config, version, address, admin, awaited, program } = started;
  const home = config.publicUrl ?? address;
  const api = namespacePath(config.apiRoot, config.vendor);
  const lines = [
    `Kalends ${version} is running.`,
    '',
    `  Site      ${home}/`,
    `  API       ${home}${api}/`,
    ...config.aliases.map((alias) => `  also at   ${home}${alias}/`),
    ...(config.publicUrl === undefined ? [] : [`  Listening ${address}`]),
    `  Database  ${databaseAddress(config)}`,
    '',
  ];
  if (admin) {
    const me = `${address}${api}/users/me`;
    const command = `curl -u '${admin.username}:${admin.password}' ${me}`;
    lines.push(...credentials(admin), '', `  Try it:   ${command}`, `  Sign in:  ${home}/sign-in`, '');
  }
  if (awaited) {
    const { administrator } = awaited;
    const remedy = administrator ? `password create ${administrator}` : 'user add NAME --role administrator';
    lines.push(
      administrator
        ? '  No administrator has signed in yet. If the password is lost, create another:'
        : '  There is no administrator. Create one:',
      '',
      `    ${program} ${remedy}${placeOf(config)}`,
      '',
    );
  }
  return lines.join('\n');
}

const credentials = ({ username, password }: Administrator): string[] => [
  '  First start: an administrator was created. The password is shown only this once:',
  '',
  `    user name             ${username}`,
  `    application password  ${password}`,
];

export const credentialsAlone = (admin: Administrator): string => [...credentials(admin), ''].join('\n');
