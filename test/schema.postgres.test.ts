import assert from 'node:assert/strict';
import { after, before, describe, mock, test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { conditions, type EventFilters } from '../src/events/event.filters.store.js';
import { searchWords } from '../src/text/search.js';
import { freshPostgres, postgresServer } from './support/engine.js';
import { declaredTables, problemsIn } from './support/schema.js';
import { startServer, type TestServer } from './support/server.js';

/** On PostgreSQL too, the migrations make what src/db/tables.ts declares, and the indexes carry the questions asked. */

let postgres: Awaited<ReturnType<typeof postgresServer>>;
let database: Awaited<ReturnType<typeof freshPostgres>>;
let server: TestServer;
let client: pg.Client;
before(async () => {
  postgres = await postgresServer();
  database = await freshPostgres(postgres.url);
  server = await startServer({ DATABASE_URL: database.url, KALENDS_LOG_LEVEL: 'silent' });
  client = new pg.Client(database.url);
  await client.connect();
});
after(async () => {
  mock.restoreAll();
  await client.end();
  await server.close();
  await database.drop();
  await postgres.stop();
});
const all = async <Row>(text: string): Promise<Row[]> => (await client.query(text)).rows;

interface Column {
  table: string;
  name: string;
  type: string;
  nullable: boolean;
  collation: string | null;
}

test('the migrations make the tables and columns that are declared, no more and no less', async () => {
  const declared = declaredTables();
  const columns = await all<Column>(`SELECT table_name AS table, column_name AS name, data_type AS type,
      is_nullable = 'YES' AS nullable, collation_name AS collation
    FROM information_schema.columns WHERE table_schema = 'public' AND table_name !~ '_search$|^migration$'`);
  const problems: string[] = [];
  const found = (table: string): Column[] => columns.filter((one) => one.table === table);
  assert.deepEqual([...new Set(columns.map(({ table }) => table))].sort(), Object.keys(declared).sort());
  let looked = 0;
  for (const [table, members] of Object.entries(declared)) {
    for (const { name } of found(table)) if (!(name in members)) problems.push(`${table}.${name} is not declared`);
    for (const [name, type] of Object.entries(members)) {
      looked++;
      const column = found(table).find((one) => one.name === name);
      if (!column) {
        problems.push(`${table}.${name} is declared and not there`);
        continue;
      }
      if (column.nullable !== /\bnull\b/.test(type)) problems.push(`${table}.${name}: ${type}, but ${column.nullable}`);
      const text = /string|'/.test(type);
      if (text !== (column.type === 'text')) problems.push(`${table}.${name}: ${type}, but ${column.type}`);
      if (!text && !['bigint', 'smallint', 'integer', 'double precision'].includes(column.type))
        problems.push(`${table}.${name} is ${column.type}`);
    }
  }
  assert.ok(looked > 100, `looked at ${looked} columns`);
  assert.deepEqual(problems, []);
});

test('texts that are sorted or compared are so by their bytes, as on the other engine', async () => {
  // What servers note for themselves is neither.
  const loose = await all<Column>(`SELECT table_name AS table, column_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'
      AND table_name NOT IN ('migration', 'instance', 'request_key', 'loose_file') ORDER BY 1, 2`);
  assert.deepEqual(loose, []);
});

test('references have an index', async () => {
  const bare = await all(`SELECT conrelid::regclass::text AS child, attname AS column
    FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
    WHERE contype = 'f' AND NOT EXISTS (SELECT 1 FROM pg_index WHERE indrelid = conrelid AND indkey[0] = conkey[1])`);
  assert.deepEqual(bare, []);
});

const EVENTS = 20_000;
const OTHERS = 10_000;

/** Enough rows that a plan matters, put in by SQL: events over many years, words that some have. */
async function fill(): Promise<void> {
  const made = async (at: string, body: object): Promise<number> => (await server.post(at, body, 'admin')).json.id;
  const start = Math.floor(Date.now() / 1000) + 86_400;
  const category = await made('/categories', { name: 'Music' });
  const tag = await made('/tags', { name: 'free' });
  const venue = await made('/venues', { venue: 'Hall', geo_lat: 10, geo_lng: 20, date_utc: '2020-01-01' });
  const organizer = await made('/organizers', { organizer: 'Band', date_utc: '2020-01-01' });
  const event = await made('/events', { title: 'Concert', start_date: start, end_date: start });
  const copies: [string, number, number, Record<string, string>][] = [
    [
      'venue',
      venue,
      OTHERS,
      {
        ...{ name_key: "'hall ' || n", date_utc: 'date_utc - n', geo_lat: 'n % 90' },
        ...{ geo_x: 'cos(n)', geo_y: 'sin(n) * cos(n)', geo_z: 'sin(n) * sin(n)' },
      },
    ],
    ['organizer', organizer, OTHERS, { name_key: "'band ' || n", date_utc: 'date_utc - n' }],
    ['event', event, EVENTS, { start_utc: 'start_utc + n * 28800', end_utc: 'end_utc + n * 28800' }],
  ];
  for (const [table, id, many, own] of copies) {
    const [{ first } = { first: 0 }] = await all<{ first: number }>('SELECT max(id) AS first FROM record');
    const set: Record<string, string> = {
      ...own,
      id: `${first} + n`,
      uid: `'${table}' || n`,
      slug: `'${table}-' || n`,
      status: "CASE WHEN n % 10 = 0 THEN 'draft' ELSE 'publish' END",
      author_id: '1 + n % 5',
      description: 'repeat(md5(n::text), 20)',
    };
    const columns = Object.keys(declaredTables()[table] ?? {});
    const series = `generate_series(1, ${many}) AS n`;
    await client.query(`INSERT INTO record (id, kind) SELECT ${first} + n, '${table}' FROM ${series}`);
    await client.query(`INSERT INTO ${table} (${columns})
      SELECT ${columns.map((name) => set[name] ?? name)} FROM ${series}, ${table} WHERE ${table}.id = ${id}`);
    await client.query(`INSERT INTO ${table}_search (id, text)
      SELECT ${first} + n, md5(n::text) || CASE n % 100 WHEN 0 THEN ' evening' ELSE '' END || ' number ' || n FROM ${series}`);
  }
  await client.query(`INSERT INTO event_term SELECT id, ${category} FROM event WHERE id % 50 = 0`);
  await client.query(`INSERT INTO event_term SELECT id, ${tag} FROM event WHERE id % 50 = 1`);
  await client.query(`INSERT INTO term (id, kind, uid, revision, change_seq, name, name_key, slug, description, count)
    SELECT 1000 + n, 'tag', 'tag' || n, 0, 0, 'Tag ' || n, 'tag ' || n, 'tag-' || n, '', 0 FROM generate_series(1, 200) AS n`);
  await client.query('INSERT INTO event_term SELECT id, 1001 + id % 200 FROM event');
  await client.query(`INSERT INTO event_venue SELECT event.id, venue.id, 0
    FROM event JOIN venue ON venue.slug = 'venue-' || event.id % 1000`);
  await client.query(`INSERT INTO event_organizer SELECT event.id, organizer.id, 0
    FROM event JOIN organizer ON organizer.slug = 'organizer-' || event.id % 1000`);
  await client.query('VACUUM (ANALYZE)');
}

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  Plans?: Plan[];
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** What was sent last with each statement. */
const sent = new Map<string, unknown[]>();
function note(asked: unknown): void {
  const { text, values } = asked as { text?: string; values?: unknown[] };
  if (text !== undefined) sent.set(text, values ?? []);
}

/** The plan for the values that were asked for, node by node. */
async function planOf(statement: string): Promise<Plan[]> {
  const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${statement}`, sent.get(statement) ?? []);
  return nodesOf(rows[0]['QUERY PLAN'][0].Plan);
}

const BIG = /^(event|venue|organizer|event_\w+|venue_search|organizer_search)$/;

describe('no main question reads a whole table', () => {
  before(async () => {
    await fill();
    const { query } = pg.Client.prototype;
    mock.method(pg.Client.prototype, 'query', function (this: pg.Client, ...args: unknown[]) {
      note(args[0]);
      return Reflect.apply(query, this, args);
    });
  });

  const indexes = new Set<string>();
  /** To count all records of a kind, all are read: in a plain list of venues or organizers that is what was asked. */
  async function scansOf(statement: string, listed?: string): Promise<string[]> {
    const plan = await planOf(statement);
    for (const node of plan) if (node['Index Name']) indexes.add(node['Index Name']);
    return plan
      .filter((node) => node['Node Type'] === 'Seq Scan' && BIG.test(node['Relation Name'] ?? ''))
      .filter((node) => !(statement.startsWith('SELECT count(*)') && `${node['Relation Name']}s` === listed))
      .map((node) => `Seq Scan of ${node['Relation Name']}`);
  }

  test('with statistics of the data', async () => {
    const { looked, told } = await problemsIn(server, scansOf);
    console.log(`# schema: ${looked} query plans on PostgreSQL`);
    assert.equal(told.length, 0, `${told.length} scans:\n${told.join('\n')}`);
    for (const name of ['event_search_text', 'venue_search_text', 'organizer_search_text', 'venue_place', 'event_slug'])
      assert.ok(indexes.has(name), `${name} is not used: ${[...indexes].sort().join(', ')}`);
  });

  test('the check itself sees a scan', async () => {
    assert.notDeepEqual(await scansOf("SELECT * FROM event WHERE description = 'x'"), []);
    assert.deepEqual(await scansOf('SELECT * FROM event WHERE id = 1'), []);
  });

  test('whether changed events belong to a list is asked of them alone, also with a plan for any values', async () => {
    // Such a plan knows nothing of this term, which nearly every event has.
    await client.query(`INSERT INTO event_term SELECT id, 1001 FROM event ON CONFLICT DO NOTHING`);
    await client.query('VACUUM (ANALYZE) event_term');
    const [{ ids } = { ids: [] }] = await all<{ ids: number[] }>(
      `SELECT array_agg(id) AS ids FROM (SELECT id FROM event ORDER BY id DESC LIMIT 3) AS latest`,
    );
    const within: EventFilters = { statuses: ['publish'], window: { shown: {} }, withHidden: false };
    const filters: Partial<EventFilters>[] = [
      ...[{ tags: [1001] }, { categories: [1001, 1002] }, { venues: [1, 2, 3] }, { organizers: [1] }],
      ...[{ hasPlace: true }, { hasPlace: false }, { words: searchWords('evening -number') }],
      { near: { point: { x: 0, y: 0, z: 1 }, reach: 1 } },
    ];
    await client.query('SET plan_cache_mode = force_generic_plan');
    const literal = (value: unknown): string =>
      client.escapeLiteral(Array.isArray(value) ? `{${value}}` : String(value));
    for (const [n, one] of filters.entries()) {
      const { sql: text, parameters } = await server.database.read(async (db) =>
        sql`SELECT event.id FROM event WHERE ${db.dialect.among(sql.ref('event.id'), ids)}
          AND ${conditions(db, {}, { ...within, ...one }, true)}`.compile(db.q),
      );
      await client.query(`PREPARE sifted_${n} AS ${text}`);
      const { rows } = await client.query(
        `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE sifted_${n}(${parameters.map(literal)})`,
      );
      const read = nodesOf(rows[0]['QUERY PLAN'][0].Plan).map(
        (node) => (node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 0),
      );
      assert.ok(read.length > 0 && Math.max(...read) <= 10, `${JSON.stringify(one)} reads ${Math.max(...read)} rows`);
    }
    await client.query('RESET plan_cache_mode');
  });

  test('the search index is there for everybody', async () => {
    assert.deepEqual(await server.database.advice(), []);
    const { n } = (await server.database.read((db) =>
      db.first(sql<{ n: number }>`SELECT count(*) AS n FROM event`),
    )) ?? {
      n: 0,
    };
    assert.equal(n, EVENTS + 1);
  });
});
