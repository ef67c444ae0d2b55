import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { type RawBuilder, sql } from 'kysely';
import pg from 'pg';

/** The engine that a run of the tests is about: an own SQLite file for each server, or an own database on this one. */
export const SERVER_URL = process.env.TEST_DATABASE_URL;
export const ENGINE = SERVER_URL === undefined ? 'sqlite' : 'postgres';

export interface FreshDatabase {
  url: string;
  drop: () => Promise<void>;
}

async function onServer(sql: string): Promise<void> {
  const client = new pg.Client(SERVER_URL);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

export async function freshDatabase(dir: string): Promise<FreshDatabase> {
  if (SERVER_URL === undefined) return { url: `sqlite:${path.join(dir, 'kalends.db')}`, drop: async () => {} };
  const name = `kalends_test_${randomBytes(8).toString('hex')}`;
  await onServer(`CREATE DATABASE ${name}`);
  const url = new URL(SERVER_URL);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => onServer(`DROP DATABASE ${name} WITH (FORCE)`) };
}

/** Everything that a migration could make. */
export const SCHEMA: RawBuilder<unknown> =
  SERVER_URL === undefined
    ? sql`SELECT type, name, sql FROM sqlite_master ORDER BY name`
    : sql`SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'public'
        UNION ALL SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1, 2`;
