// npm run client [-- --check]: writes src/client/schema.ts, the types of the API, from docs/openapi.json. With --check
// nothing is written; the exit code says whether the file matches the document.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTypescript, { astToString } from 'openapi-typescript';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const target = 'src/client/schema.ts';
const document = JSON.parse(readFileSync(path.join(root, 'docs/openapi.json'), 'utf8'));

/** An error response names its codes at the end of its description, the first of them also in its example. */
function codesOf(answer) {
  const codes =
    /: ([\w-]+(?:, [\w-]+)*)\.$/.exec(answer.description)?.[1].split(', ') ??
    fail(`No error codes in "${answer.description}"`);
  const { example } = answer.content['application/json'];
  return codes.includes(example.code) ? codes : fail(`The example of "${answer.description}" has another code`);
}

function fail(message) {
  throw new Error(`docs/openapi.json: ${message}`);
}

const codes = new Set();

/** Not for callers of the client: the response would not have the shape that its types say. */
const ENVELOPE = '_envelope';

/** What callers of the client see: requests, and successful responses. Errors become one list of codes. */
function slim(operation) {
  for (const [status, answer] of Object.entries(operation.responses)) {
    if (Number(status) >= 400) for (const code of codesOf(answer)) codes.add(code);
    if (!status.startsWith('2')) delete operation.responses[status];
    delete answer.headers;
  }
  const sent = operation.requestBody?.content;
  delete sent?.['application/x-www-form-urlencoded'];
  delete sent?.['application/json']?.example;
  operation.parameters = operation.parameters.filter(({ $ref }) => $ref !== `#/components/parameters/${ENVELOPE}`);
}

for (const [route, item] of Object.entries(document.paths)) {
  for (const operation of Object.values(item)) slim(operation);
  // POST, PUT and PATCH are one operation, and so are the paths by id and by slug.
  delete item.put;
  delete item.patch;
  if (route.includes('{slug}')) delete document.paths[route];
}
delete document.components.headers;
delete document.components.parameters[ENVELOPE];

const nodes = await openapiTypescript(document, { alphabetize: false, emptyObjectsUnknown: true, silent: true });
const wanted = nodes.filter((node) => ['components', 'operations'].includes(node.name?.text));
const text = `// Made by scripts/client.mjs from docs/openapi.json. Do not edit.

${astToString(wanted)}
/** The codes by which the interface says what went wrong. */
export type ErrorCode = ${[...codes]
  .sort()
  .map((code) => `'${code}'`)
  .join(' | ')};
`;

const biome = path.join(root, 'node_modules/@biomejs/biome/bin/biome');
const formatted = spawnSync(process.execPath, [biome, 'format', `--stdin-file-path=${target}`], {
  cwd: root,
  input: text,
  encoding: 'utf8',
  maxBuffer: 2 ** 26,
});
if (formatted.status !== 0) throw new Error(formatted.stderr);

const file = path.join(root, target);
if (!process.argv.includes('--check')) writeFileSync(file, formatted.stdout);
else if (readFileSync(file, 'utf8') !== formatted.stdout) {
  console.error(`${target} is not what docs/openapi.json gives: run "npm run client".`);
  process.exit(1);
}
