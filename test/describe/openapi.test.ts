import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { addSampleCalendar } from '../../src/demo/sample.js';
import { documentFile } from '../../src/describe/file.js';
import { CODES } from '../../src/errors.js';
import { apiRoutes } from '../../src/routes.js';
import { VERSION } from '../../src/version.js';
import { startServer, type TestServer } from '../support/server.js';
import { fileText, ROOT, sources } from './support.js';

/** openapi.json is fresh, valid, complete; /doc has the shape of the reference's. */

// biome-ignore lint/suspicious/noExplicitAny: documents are walked freely
type Json = any;
const document: Json = JSON.parse(fileText('docs/openapi.json'));
interface Found {
  at: string;
  operation: Json;
}
const operations: Found[] = Object.entries<Json>(document.paths).flatMap(([at, item]) =>
  Object.entries<Json>(item).map(([method, operation]) => ({ at: `${method} ${at}`, operation })),
);
const named = (parameter: Json): Json =>
  parameter.$ref ? document.components.parameters[parameter.$ref.split('/').at(-1)] : parameter;

test('the committed document is the one that the sources make (npm run openapi)', () => {
  // Blanks are the formatter's; the order of members counts.
  const fresh = JSON.parse(documentFile(apiRoutes, VERSION));
  assert.deepEqual(document, fresh);
  assert.ok(JSON.stringify(document) === JSON.stringify(fresh), 'docs/openapi.json has another order of members');
});

test('a strict linter finds no error and no warning', async () => {
  const redocly = path.join(ROOT, 'node_modules/.bin/redocly');
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const run = promisify(execFile)(redocly, ['lint', '--format=json', 'docs/openapi.json'], {
    cwd: ROOT,
    env: { ...process.env, ...quiet },
  }).catch((error: { stdout: string }) => error);
  const { stdout } = await run;
  const { totals, problems } = JSON.parse(stdout.slice(stdout.indexOf('{')));
  assert.deepEqual(problems, []);
  assert.deepEqual([totals.errors, totals.warnings, totals.ignored], [0, 0, 0]);
  assert.match(fileText('redocly.yaml'), /^extends:\n {2}- recommended-strict\n*$/m);
});

test('every parameter and every member of a body has a description and an example of its own type', () => {
  let looked = 0;
  const bodies = ['EventCreate', 'EventUpdate', 'VenueCreate', 'VenueUpdate', 'OrganizerCreate', 'OrganizerUpdate'];
  const terms = ['CategoryCreate', 'CategoryUpdate', 'TagCreate', 'TagUpdate', 'TicketInput'];
  const members = [...bodies, ...terms].flatMap((name) =>
    Object.entries<Json>(document.components.schemas[name].properties).map(([member, schema]) => ({
      at: `${name}.${member}`,
      description: schema.description,
      schema,
    })),
  );
  const parameters = operations.flatMap(({ at, operation }) =>
    operation.parameters.map(named).map(({ name, description, schema }: Json) => ({
      at: `${at} ${name}`,
      description,
      schema,
    })),
  );
  const bare = ['get / namespace', 'get / context'];
  for (const { at, description, schema } of [...members, ...parameters]) {
    if (!bare.includes(at)) assert.ok(description?.length > 4, `${at} has no description`);
    assert.notEqual(schema.examples?.[0], undefined, `${at} has no example`);
    assert.ok(fits(schema.examples[0], schema), `${at}: ${JSON.stringify(schema)}`);
    looked++;
  }
  assert.ok(looked > 250, `only ${looked}`);
});

/** The example is of one of the types. */
function fits(value: unknown, schema: Json): boolean {
  if (schema.anyOf) return schema.anyOf.some((one: Json) => fits(value, one));
  const type = Array.isArray(value) ? 'array' : typeof value;
  const wanted: string[] = [schema.type].flat();
  const same = wanted.includes(type) || (Number.isInteger(value) && wanted.includes('integer'));
  return (
    same && (type !== 'array' || !schema.items?.type || (value as unknown[]).every((one) => fits(one, schema.items)))
  );
}

test('every operation has a summary, a name of its own, a group, security, and answers of every kind', () => {
  const names = operations.map(({ operation }) => operation.operationId);
  assert.equal(new Set(names).size, names.length);
  const groups = document.tags.map(({ name }: Json) => name);
  for (const { at, operation } of operations) {
    assert.match(operation.operationId, /^[a-z]+[A-Z]\w+$/, at);
    assert.ok(operation.summary.length > 4 && !/^op\./.test(operation.summary), at);
    assert.ok(groups.includes(operation.tags[0]), at);
    const statuses = Object.keys(operation.responses);
    assert.ok(statuses.some((status) => /^2/.test(status)) && statuses.some((status) => /^4/.test(status)), at);
    assert.ok(
      ['401', '503'].every((status) => statuses.includes(status)),
      at,
    );
    const anybody = operation.security.some((one: Json) => Object.keys(one).length === 0);
    assert.equal(anybody, at.startsWith('get '), at);
    for (const [status, answer] of Object.entries<Json>(operation.responses)) {
      assert.ok(answer.description.length > 4 && !/[{}]/.test(answer.description), `${at} ${status}`);
      if (status !== '304') assert.ok(answer.content['application/json'].schema, `${at} ${status}`);
    }
  }
});

test('_fields, _envelope and _pretty are described once, named by every operation, and work where they are named', async () => {
  const server = await startServer({ KALENDS_LOG_LEVEL: 'silent' });
  try {
    for (const { at, operation } of operations) {
      const names = operation.parameters.filter(({ $ref }: Json) => $ref).map((one: Json) => named(one).name);
      assert.deepEqual(names, ['_fields', '_envelope', '_pretty'], at);
      const [method = '', path = ''] = at.split(' ');
      if (method !== 'get' || path.includes('{')) continue;
      const whole = (await server.get(path, {}, 'admin')).json;
      const { json } = await server.get(path, { _envelope: 1, _fields: Object.keys(whole)[0] }, 'admin');
      assert.deepEqual([Object.keys(json), json.status], [['body', 'status', 'headers'], 200], at);
      assert.ok(Object.keys(json.body).length < Object.keys(whole).length, at);
      const indented = await server.get(path, { _pretty: 1 }, 'admin');
      assert.match(indented.text, /^{\n {4}"/, at);
      assert.deepEqual(Object.keys(indented.json), Object.keys(whole), at);
    }
  } finally {
    await server.close();
  }
});

describe('defaults and limits of lists', () => {
  const KINDS = ['events', 'venues', 'organizers', 'categories', 'tags'];
  let server: TestServer;
  let told: Json;
  let index: Json;
  before(async () => {
    server = await startServer({
      KALENDS_LOG_LEVEL: 'silent',
      KALENDS_PER_PAGE: '7',
      KALENDS_PER_PAGE_MAX: '30',
    });
    await addSampleCalendar({ config: server.config, database: server.database, adminId: server.users.admin.id });
    [told, index] = [(await server.get('/openapi.json')).json, (await server.get('')).json];
  });
  after(() => server.close());

  const schemasOf = (kind: string): [name: string, schema: Json][] =>
    told.paths[`/${kind}`].get.parameters.flatMap(({ name, schema }: Json) => (name ? [[name, schema]] : []));
  const schemaOf = (kind: string, name: string): Json => Object.fromEntries(schemasOf(kind))[name];

  test('the defaults of the index, as values; those that change with the day are told in words', () => {
    for (const kind of KINDS) {
      const { args } = index.routes[`/calendar/events/v1/${kind}`].endpoints[0];
      for (const [name, schema] of schemasOf(kind)) {
        const at = `${kind} ${name}`;
        const daily = kind === 'events' && /^(start|end)_date$/.test(name);
        assert.equal(Object.hasOwn(schema, 'default'), Object.hasOwn(args[name], 'default') && !daily, at);
        if (schema.default === undefined) continue;
        assert.ok(fits(schema.default, schema), at);
        assert.equal(String(args[name].default), schema.default === true ? '1' : String(schema.default), at);
      }
    }
    assert.match(told.paths['/events'].get.parameters[2].description, /by default today/);
    assert.doesNotMatch(fileText('docs/openapi.json'), /1970-01-01/);
  });

  test('whoever sends every default gets what others get who send none', async () => {
    for (const kind of KINDS) {
      const defaults = schemasOf(kind).filter(([, schema]) => schema.default !== undefined);
      assert.ok(defaults.length >= 3, kind);
      const query = Object.fromEntries(defaults.map(([name, schema]) => [name, schema.default]));
      const [plain, full] = [(await server.get(`/${kind}`)).json, (await server.get(`/${kind}`, query)).json];
      assert.ok(plain.total > 0, kind);
      assert.deepEqual([full[kind], full.total], [plain[kind], plain.total], kind);
    }
  });

  test('pages are as long as this site makes them', async () => {
    for (const kind of [...KINDS, 'media']) {
      const { minimum, maximum, default: standard } = schemaOf(kind, 'per_page');
      assert.deepEqual([minimum, maximum, standard], [1, 30, 7], kind);
    }
    assert.match((await server.get('/events', { per_page: 31 })).json.rest_url, /per_page=30&/);
  });

  test('numbers are taken up to their limits and not beyond', async () => {
    const here = { geoloc_lat: 0, geoloc_lng: 0, geoloc_distance: 25 };
    for (const name of Object.keys(here)) {
      const { minimum, maximum } = schemaOf('events', name);
      for (const [value, status] of [
        [minimum, 200],
        [maximum, 200],
        [minimum - 1, 400],
        [maximum + 1, 400],
      ])
        assert.equal((await server.get('/events', { ...here, [name]: value })).status, status, `${name}=${value}`);
    }
  });

  test('context has two words', () => {
    assert.deepEqual(schemaOf('events', 'context').enum, ['view', 'edit']);
  });
});

test('no text of the document is a key or has an open placeholder', () => {
  const texts = fileText('docs/openapi.json').match(/"(?:description|summary|title)": "[^"]*"/g) ?? [];
  assert.ok(texts.length > 500);
  const odd = texts.filter((text) =>
    /": "(?:arg|shape|op|answer|group|header|docs?|security|error|reason)\.|\{\w+\}/.test(text),
  );
  assert.deepEqual(odd, []);
});

/** Codes that no documented operation answers. */
const NOT_OF_AN_OPERATION: Record<string, string> = {
  rest_no_route: 'there is no operation where there is no route',
  internal_server_error: 'a fault of the program, never an answer that is meant',
};
test('every error code that can occur is documented at an operation', () => {
  const told = operations.map(({ operation }) => JSON.stringify(operation.responses)).join('\n');
  const lists = ['errors.ts', 'http/answers.ts'];
  const code = [...sources()].filter(([file]) => !lists.includes(file)).map(([, text]) => text);
  const occurs = CODES.filter((one) => code.some((text) => text.includes(`'${one}'`)));
  assert.ok(occurs.length > 30, `only ${occurs.length}`);
  const missing = occurs.filter((one) => !new RegExp(`[ "]${one}[",.]`).test(told));
  assert.deepEqual(missing, Object.keys(NOT_OF_AN_OPERATION));
});

test('every component is used, and every reference leads somewhere', () => {
  const text = fileText('docs/openapi.json');
  const used = new Set(text.match(/(?<="\$ref": "#\/components\/)[\w/-]+/g));
  const there = ['schemas', 'parameters', 'headers'].flatMap((group) =>
    Object.keys(document.components[group]).map((name) => `${group}/${name}`),
  );
  assert.deepEqual([...used].sort(), there.sort());
});

const SCHEMAS: Record<string, string> = {
  ImageSize: 'width height mime-type url',
  CostDetails: 'currency_symbol currency_position values',
  Term: 'id name slug taxonomy description parent count url urls',
  Image: 'url id extension width height sizes',
  DateDetails: 'year month day hour minutes seconds',
  Event:
    'id global_id global_id_lineage author date date_utc modified modified_utc status url rest_url title description excerpt slug image all_day start_date start_date_details end_date end_date_details utc_start_date utc_start_date_details utc_end_date utc_end_date_details timezone timezone_abbr cost cost_details website show_map show_map_link hide_from_listings sticky featured categories tags venue organizer',
  Venue:
    'id global_id global_id_lineage author date date_utc modified modified_utc status url venue description excerpt slug image show_map show_map_link address city country province state zip phone website stateprovince geo_lat geo_lng',
  Organizer:
    'id global_id global_id_lineage author date date_utc modified modified_utc status url organizer description excerpt slug image phone website email',
};
const PATHS =
  '/doc /events /events/{id} /events/by-slug/{slug} /venues /venues/{id} /venues/by-slug/{slug} /organizers /organizers/{id} /organizers/by-slug/{slug} /categories /categories/{id} /tags /tags/{id}';

test('/doc is OpenAPI 3.0 with the paths and schemas of the reference, in order, and right where that is wrong', async () => {
  const server = await startServer({ KALENDS_LOG_LEVEL: 'silent' });
  try {
    const { json: doc } = await server.get('/doc');
    assert.deepEqual(Object.keys(doc), ['openapi', 'info', 'components', 'servers', 'paths']);
    assert.equal(doc.openapi, '3.0.0');
    assert.deepEqual(Object.keys(doc.info), ['version', 'title', 'description']);
    assert.equal(doc.info.version, '1.0.0');
    const schemas = Object.entries<Json>(doc.components.schemas);
    assert.deepEqual(
      schemas.map(([name, { type, properties }]) => [name, type, Object.keys(properties).join(' ')]),
      Object.entries(SCHEMAS).map(([name, members]) => [name, 'object', members]),
    );
    for (const [name, { properties }] of schemas)
      for (const [member, one] of Object.entries<Json>(properties)) {
        assert.ok(one.description?.length > 3, `${name}.${member}`);
        assert.ok(one.type, `${name}.${member}`);
      }
    assert.equal(Object.keys(doc.paths).join(' '), PATHS);
    // The server has its port, lists are envelopes, objects are objects.
    assert.deepEqual(doc.servers, [{ url: `${server.api}/` }]);
    const list = doc.paths['/venues'].get.responses[200].content['application/json'].schema;
    assert.deepEqual(
      [list.title, list.type, list.properties.venues.items.$ref],
      ['venues', 'object', '#/components/schemas/Venue'],
    );
    assert.equal(doc.components.schemas.Event.properties.cost_details.type, 'object');
    for (const [at, item] of Object.entries<Json>(doc.paths)) {
      assert.deepEqual(Object.keys(item), at.includes('{') ? ['get', 'post', 'delete'] : ['get'], at);
      for (const { parameters = [] } of Object.values<Json>(item))
        for (const one of parameters)
          assert.equal(Object.keys(one).slice(0, 5).join(' '), 'in schema description required name', at);
    }
    const refs = new Set(JSON.stringify(doc).match(/(?<="\$ref":"#\/components\/schemas\/)\w+/g));
    for (const ref of refs) assert.ok(Object.hasOwn(SCHEMAS, ref), ref);
  } finally {
    await server.close();
  }
});
