import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pino from 'pino';
import type { Role } from '../../src/access/rights.js';
import { createUser } from '../../src/accounts/accounts.js';
import { buildApp } from '../../src/app.js';
import { type Config, readConfig } from '../../src/config.js';
import type { Database } from '../../src/db/database.js';
import { migrate } from '../../src/db/migrate.js';
import { openDatabase } from '../../src/db/open.js';
import { checkAnswer } from './contract.js';
import { freshDatabase } from './engine.js';
import { type Answer, exchange } from './exchange.js';
import { startObjectStore } from './s3.js';

/** A real server on a real port with a database of its own, and one user per role. `TEST_MEDIA=s3`: with an object store. */
export type RoleName = 'admin' | 'editor' | 'author' | 'contributor' | 'subscriber';
const ROLES: Record<RoleName, Role> = {
  admin: 'administrator',
  editor: 'editor',
  author: 'author',
  contributor: 'contributor',
  subscriber: 'subscriber',
};

export interface Reply extends Answer {
  // Tests look into answers of every shape.
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the test is about
  json: any;
}

export interface Ask {
  as?: RoleName | undefined;
  query?: Record<string, unknown> | string;
  json?: unknown;
  form?: Record<string, string> | string;
  body?: string | Uint8Array | FormData;
  headers?: Record<string, string>;
}

export interface TestServer {
  home: string;
  api: string;
  database: Database;
  config: Config;
  users: Record<RoleName, { id: number; username: string; password: string }>;
  /** Every SQL text sent since the last call. */
  sqlSeen: () => string[];
  logs: string[];
  ask: (method: string, path: string, ask?: Ask) => Promise<Reply>;
  get: (path: string, query?: Record<string, unknown> | string, as?: RoleName) => Promise<Reply>;
  post: (path: string, json: unknown, as?: RoleName) => Promise<Reply>;
  patch: (path: string, json: unknown, as?: RoleName) => Promise<Reply>;
  del: (path: string, as?: RoleName, query?: Record<string, unknown>) => Promise<Reply>;
  close: () => Promise<void>;
}

function encode(query: Record<string, unknown> | string | undefined): string {
  if (query === undefined) return '';
  if (typeof query === 'string') return query === '' ? '' : `?${query}`;
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    if (Array.isArray(value)) for (const one of value) pairs.append(`${name}[]`, String(one));
    else pairs.append(name, String(value));
  }
  const text = pairs.toString();
  return text === '' ? '' : `?${text}`;
}

/** `beside`: another instance with the database and the pictures of a server that runs; `watched` looks on. */
export async function startServer(
  env: Record<string, string> = {},
  beside?: TestServer,
  watched = (database: Database): Database => database,
): Promise<TestServer> {
  const dir = beside?.config.dataDir ?? mkdtempSync(path.join(os.tmpdir(), 'kalends-test-'));
  const own = beside ? undefined : await freshDatabase(dir);
  const url = own?.url ?? beside?.config.databaseUrl;
  const objects = !beside && process.env.TEST_MEDIA === 's3' ? await startObjectStore() : undefined;
  const media = objects?.env ?? {
    KALENDS_MEDIA_URL: beside?.config.mediaUrl,
    AWS_ACCESS_KEY_ID: beside?.config.awsAccessKeyId,
    AWS_SECRET_ACCESS_KEY: beside?.config.awsSecretAccessKey,
  };
  const settings = { PORT: '0', KALENDS_DATA_DIR: dir, DATABASE_URL: url, KALENDS_LOG_LEVEL: 'info', ...media, ...env };
  const read = readConfig(settings, {});
  if ('problems' in read) throw new Error(read.problems.join('\n'));
  const { config } = read;
  let seen: string[] = [];
  const logs: string[] = [];
  const database = watched(await openDatabase(config.databaseUrl, { observe: (sql) => seen.push(sql) }));
  await migrate(database);
  const users = beside?.users ?? ({} as TestServer['users']);
  for (const [name, role] of beside ? [] : (Object.entries(ROLES) as [RoleName, Role][])) {
    const made = await database.write((db) => createUser(db, name, role, 'test'));
    users[name] = { id: made.user.id, username: name, password: made.secret };
  }
  const logger = pino({ level: config.logLevel }, { write: (line: string) => void logs.push(line) });
  const app = await buildApp({ config, database, logger });
  const home = await app.listen();
  const api = `${home}${config.apiRoot}/${config.vendor}/events/v1`;

  const ask: TestServer['ask'] = async (method, at, options = {}) => {
    const headers: Record<string, string> = { ...options.headers };
    if (options.as) {
      const { username, password } = users[options.as];
      headers.authorization ??= `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    }
    let body: string | Uint8Array | FormData | undefined = options.body;
    if (options.json !== undefined) {
      headers['content-type'] ??= 'application/json';
      body = JSON.stringify(options.json);
    } else if (options.form !== undefined) {
      headers['content-type'] ??= 'application/x-www-form-urlencoded';
      body = typeof options.form === 'string' ? options.form : new URLSearchParams(options.form).toString();
    }
    const url = (/^https?:/.test(at) ? at : at.startsWith('~') ? home + at.slice(1) : api + at) + encode(options.query);
    const answer = await exchange(url, method, headers, body);
    checkAnswer({ config, method, url, sent: headers, ...answer });
    let json: unknown;
    try {
      json = answer.text === '' ? undefined : JSON.parse(answer.text);
    } catch {
      json = undefined;
    }
    return { ...answer, json };
  };

  return {
    home,
    api,
    database,
    config,
    users,
    logs,
    sqlSeen: () => {
      const texts = seen;
      seen = [];
      return texts;
    },
    ask,
    get: (at, query, as) => ask('GET', at, { ...(query !== undefined ? { query } : {}), as }),
    post: (at, json, as) => ask('POST', at, { json, as }),
    patch: (at, json, as) => ask('PATCH', at, { json, as }),
    del: (at, as, query) => ask('DELETE', at, { as, ...(query ? { query } : {}) }),
    close: async () => {
      await app.close();
      await database.close();
      await own?.drop();
      await objects?.close();
      if (own) rmSync(dir, { recursive: true, force: true });
    },
  };
}
