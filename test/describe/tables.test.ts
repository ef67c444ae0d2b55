import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startServer, type TestServer } from '../support/server.js';
import {
  expected,
  FIELDS,
  GENERATED,
  isRequired,
  KINDS,
  kindOf,
  LISTS,
  nameOf,
  ROUTES,
  type Row,
} from './specification.js';

/** Every route, field and parameter of the specification is in the index, in /doc and in openapi.json. */

// biome-ignore lint/suspicious/noExplicitAny: documents are walked freely
type Json = any;
let server: TestServer;
let index: Json;
let doc: Json;
let openapi: Json;
let compared = 0;
before(async () => {
  server = await startServer({ KALENDS_LOG_LEVEL: 'silent' });
  [index, doc, openapi] = (await Promise.all(['', '/doc', '/openapi.json'].map((at) => server.get(at)))).map(
    (reply) => reply.json,
  );
});
after(async () => {
  console.log(`# tables: ${compared} comparisons`);
  await server.close();
});

const keyOf = (path: string): string =>
  `/calendar/events/v1${path.replace('{id}', '(?P<id>\\d+)').replace('{slug}', '(?P<slug>[^/]+)')}`;
const endpointOf = (path: string, method: string): Json =>
  index.routes[keyOf(path)]?.endpoints.find((one: Json) => one.methods.includes(method));

/** What the index says of a type: lists say only what their items are, dates say nothing. */
function typeInIndex([name, type]: Row, filter: boolean): Json {
  if (filter && name === 'status') return { format: 'string' };
  if (name === 'strict_dates') return {};
  if (type === 'array') return { items: { type: 'integer' } };
  if (type === 'double') return { format: 'double' };
  return type === 'untyped' || type === 'date-time' ? {} : { type };
}
/** The index shows some defaults as texts. */
const AS_TEXT = new Set(['per_page', 'hide_empty', 'strict_dates']);

for (const [path, methods] of ROUTES) {
  test(`the index has ${path || 'the root'} with every parameter, its type, default and whether it is required`, () => {
    assert.deepEqual(index.routes[keyOf(path)]?.methods, methods);
    for (const method of methods) {
      const wanted = expected(path, method);
      const { args } = endpointOf(path, method);
      assert.deepEqual(
        Object.keys(args).slice(0, wanted.length),
        wanted.map(({ row }) => nameOf(row)),
        `${method} ${path}`,
      );
      for (const { row, required } of wanted) {
        const where = `${method} ${path} ${nameOf(row)}`;
        const { description, default: standard, required: isNeeded, ...type } = args[nameOf(row)];
        assert.deepEqual(type, typeInIndex(row, method === 'GET'), where);
        assert.equal(isNeeded, required, where);
        assert.equal(Object.hasOwn(args[nameOf(row)], 'default'), row[2] !== undefined, where);
        if (row[2] === GENERATED) assert.equal(typeof standard, 'string', where);
        else assert.deepEqual(standard, AS_TEXT.has(nameOf(row)) ? String(row[2]) : row[2], where);
        // The root's own two parameters have no texts.
        if (path !== '') assert.ok(description.length > 4, where);
        compared++;
      }
    }
  });
}

test('what the index has beyond the specification comes after it', () => {
  const paths = Object.keys(index.routes);
  assert.deepEqual(
    paths.slice(0, ROUTES.length),
    ROUTES.map(([path]) => keyOf(path)),
  );
  for (const path of ['/users/me', '/openapi.json']) assert.ok(paths.slice(ROUTES.length).includes(keyOf(path)), path);
  const extra = new Set<string>();
  for (const [path, methods] of ROUTES)
    for (const method of methods) {
      const known = expected(path, method).length;
      for (const name of Object.keys(endpointOf(path, method).args).slice(known)) extra.add(`${kindOf(path)}.${name}`);
    }
  const ours =
    'events: context geoloc_distance tickets post_parent password force new_password; venues: slug geo_lat geo_lng force; organizers: slug force'
      .split('; ')
      .flatMap((line) => (line.split(': ')[1] ?? '').split(' ').map((name) => `${line.split(':')[0]}.${name}`));
  assert.deepEqual(
    ours.filter((name) => !extra.has(name)),
    [],
  );
});

/** Types in /doc, after the reference's document (its appendix B). */
function typeInDoc([name, type]: Row, filter: boolean): Json {
  if (type === 'array') return { type: 'array', items: { type: 'integer' } };
  if (type === 'double') return { type: 'number' };
  if (['has_events', 'only_with_upcoming'].includes(name)) return { type: 'boolean' };
  if (filter && name === 'strict_dates') return { type: 'string' };
  return { type: type === 'untyped' || type === 'date-time' ? 'string' : type };
}

test('/doc has every specified path, in order', () => {
  assert.deepEqual(
    Object.keys(doc.paths),
    ROUTES.slice(1).map(([path]) => path),
  );
});

for (const kind of KINDS) {
  test(`/doc has the parameters of the list of ${kind}`, () => {
    const { parameters } = doc.paths[`/${kind}`].get;
    assert.deepEqual(
      parameters.map(({ name, in: place, schema, required }: Json) => ({ name, place, schema, required })),
      LISTS[kind]?.map((row) => ({ name: nameOf(row), place: 'query', schema: typeInDoc(row, true), required: false })),
    );
    compared += parameters.length;
  });

  test(`/doc has the variables and fields of single ${kind}`, () => {
    for (const [path] of ROUTES.filter(([one]) => kindOf(one) === kind && one.includes('{'))) {
      const variable = path.includes('{id}') ? 'id' : 'slug';
      const named = kind === 'events' && variable === 'id' ? [variable, 'password'] : [variable];
      for (const method of ['get', 'post', 'delete']) {
        const { parameters } = doc.paths[path][method];
        assert.deepEqual(
          parameters.map(({ name }: Json) => name),
          named,
          `${method} ${path}`,
        );
        assert.deepEqual([parameters[0].in, parameters[0].required], ['path', true], `${method} ${path}`);
      }
      const content = doc.paths[path].post.requestBody.content['application/x-www-form-urlencoded'];
      const shown = Object.entries(content.schema.properties).map(([name, { description, ...type }]: Json) => {
        assert.ok(description.length > 4, `${path} ${name}`);
        return [name, type];
      });
      assert.deepEqual(
        shown,
        FIELDS[kind]?.map((row) => [nameOf(row), typeInDoc(row, false)]),
        path,
      );
      compared += shown.length;
    }
  });

  test(`openapi.json has the list parameters and fields of ${kind}`, () => {
    const listed = openapi.paths[`/${kind}`].get.parameters;
    for (const row of LISTS[kind] ?? []) {
      const found = listed.find((one: Json) => one.name === nameOf(row));
      assert.deepEqual([found?.in, found?.required], ['query', false], nameOf(row));
      assert.ok(takes(found.schema, row), `${nameOf(row)}: ${JSON.stringify(found.schema)}`);
      compared++;
    }
    const bodies = ROUTES.filter(([path]) => kindOf(path) === kind).flatMap(([path, methods]) =>
      methods.filter((method) => /^P/.test(method)).map((method) => ({ path, method: method.toLowerCase() })),
    );
    for (const { path, method } of bodies) {
      const schema = bodyOf(openapi.paths[path][method]);
      const created = !path.includes('{');
      const needed = (FIELDS[kind] ?? []).filter((row) => created && isRequired(row)).map(nameOf);
      assert.deepEqual(schema.required ?? [], needed, `${method} ${path}`);
      for (const row of FIELDS[kind] ?? []) {
        const property = schema.properties[nameOf(row)];
        assert.ok(property && takes(property, row), `${method} ${path} ${nameOf(row)}: ${JSON.stringify(property)}`);
        compared++;
      }
    }
  });
}

const bodyOf = (operation: Json): Json => {
  const { schema } = operation.requestBody.content['application/json'];
  return openapi.components.schemas[schema.$ref.split('/').at(-1)];
};

const typesOf = (schema: Json): string[] => [schema.type ?? [], ...(schema.anyOf ?? []).map(typesOf)].flat();

/** A schema that takes at least values of the specified type. */
function takes(schema: Json, [, type]: Row): boolean {
  const list = schema.anyOf?.find((one: Json) => one.type === 'array');
  if (type === 'array') return list !== undefined && typesOf(list.items).includes('integer');
  const types = typesOf(schema);
  if (type === 'untyped') return types.length > 0;
  if (type === 'date-time') return types.includes('string');
  return types.includes(type === 'double' ? 'number' : type);
}

test('openapi.json has every specified route and method, with its variables', () => {
  for (const [path, methods] of ROUTES) {
    const item = openapi.paths[path === '' ? '/' : path];
    assert.deepEqual(Object.keys(item ?? {}).sort(), methods.map((method) => method.toLowerCase()).sort(), path);
    for (const variable of path.match(/(?<=\{)\w+/g) ?? [])
      for (const operation of Object.values(item) as Json[]) {
        const found = operation.parameters.find((one: Json) => one.name === variable);
        assert.deepEqual([found?.in, found?.required], ['path', true], path);
        compared++;
      }
  }
  for (const method of ['get', 'delete'])
    assert.ok(
      openapi.paths['/events/{id}'][method].parameters.some((one: Json) => one.name === 'password'),
      method,
    );
  const own = openapi.paths['/'].get.parameters.filter(({ $ref }: Json) => $ref === undefined);
  const root = own.map(({ name }: Json) => name);
  assert.deepEqual(root, ['namespace', 'context']);
});
