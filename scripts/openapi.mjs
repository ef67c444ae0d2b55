// npm run openapi: writes docs/openapi.json, the description of the API as a file, from the compiled build/.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const load = (file) => import(path.join(root, 'build/src', file));
const [{ documentFile }, { apiRoutes }, { VERSION }] = await Promise.all(
  ['describe/file.js', 'routes.js', 'version.js'].map(load),
);
writeFileSync(path.join(root, 'docs/openapi.json'), documentFile(apiRoutes, VERSION));
