import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { type RawBuilder, sql } from 'kysely';
import pg from 'pg';
import type { Db } from '../../src/db/database.js';
import { PostgresServer } from './postgres.js';

/** The engine that a run of the tests is about: an own SQLite file for each server, or an own database on this one. */
export const SERVER_URL = process.env.TEST_DATABASE_URL;
export const ENGINE = SERVER_URL === undefined ? 'sqlite' : 'postgres';

/** How many changes there were: the simplest write, and the simplest question. */
export const changeOf = async (db: Db): Promise<number> =>
  (await db.first(db.q.selectFrom('counter').select('value').where('name', '=', 'change')))?.value ?? -1;

export interface FreshDatabase {
  url: string;
  drop: () => Promise<void>;
}

/** Runs one statement on its own connection, outside of any transaction. */
export async function onServer(server: string, sql: string): Promise<void> {
  const client = new pg.Client(server);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

export async function freshDatabase(dir: string): Promise<FreshDatabase> {
  if (SERVER_URL !== undefined) return freshPostgres(SERVER_URL);
  return { url: `sqlite:${path.join(dir, 'kalends.db')}`, drop: async () => {} };
}

/** An empty database on a server. */
export async function freshPostgres(server: string): Promise<FreshDatabase> {
  const name = `kalends_test_${randomBytes(8).toString('hex')}`;
  await onServer(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => onServer(server, `DROP DATABASE ${name} WITH (FORCE)`) };
}

/** A PostgreSQL server for suites about both engines: that of the run, or one of their own when a file runs alone. */
export async function postgresServer(): Promise<{ url: string; stop: () => Promise<void> }> {
  if (SERVER_URL !== undefined) return { url: SERVER_URL, stop: async () => {} };
  const server = await (await PostgresServer.make()).start();
  return { url: server.url, stop: () => server.remove() };
}

/** Everything that a migration could make. */
export const SCHEMA: RawBuilder<unknown> =
  SERVER_URL === undefined
    ? sql`SELECT type, name, sql FROM sqlite_master ORDER BY name`
    : sql`SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'public'
        UNION ALL SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1, 2`;
