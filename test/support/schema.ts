import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import ts from 'typescript';
import type { TestServer } from './server.js';

/** What the schema must hold on every engine: the declared columns, and an index for every main question. */

/** Tables and columns as the TypeScript declarations say: `{ event: { id: 'number', website: 'string | null' } }`. */
export function declaredTables(): Record<string, Record<string, string>> {
  let root = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(root, 'package.json'))) root = path.dirname(root);
  const file = path.join(root, 'src/db/tables.ts');
  const tree = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const interfaces = new Map<string, ts.InterfaceDeclaration>();
  const aliases = new Map<string, string>();
  for (const one of tree.statements) {
    if (ts.isInterfaceDeclaration(one)) interfaces.set(one.name.text, one);
    if (ts.isTypeAliasDeclaration(one)) aliases.set(one.name.text, one.type.getText(tree));
  }
  const membersOf = (name: string): Record<string, string> => {
    const declaration = interfaces.get(name);
    assert.ok(declaration, `${name} is not declared`);
    const inherited = (declaration.heritageClauses ?? []).flatMap(({ types }) => types.map((t) => t.getText(tree)));
    const own = declaration.members.filter(ts.isPropertySignature).map((member) => {
      let type = member.type?.getText(tree) ?? '';
      for (const [alias, meaning] of aliases) type = type.replace(new RegExp(`\\b${alias}\\b`), meaning);
      return [member.name.getText(tree), type] as const;
    });
    return Object.assign({}, ...inherited.map(membersOf), Object.fromEntries(own));
  };
  return Object.fromEntries(Object.entries(membersOf('Tables')).map(([table, type]) => [table, membersOf(type)]));
}

const QUESTIONS = {
  'events, default': '/events',
  'events, a page further on': '/events?page=20',
  'events of a category': '/events?categories=music',
  'events of a tag': '/events?tags=free',
  'events at a venue': '/events?venue=VENUE',
  'events of an organizer': '/events?organizer=ORGANIZER',
  'events by search': '/events?search=evening',
  'events by search of a rare word': '/events?search=number 777',
  'events near a point': '/events?geoloc_lat=10&geoloc_lng=20&geoloc_distance=5',
  'events by id list': '/events?include=EVENT',
  'events of a day': '/events?start_date=2030-01-01&end_date=2030-01-01',
  'events running now': '/events?starts_before=now&ends_after=now',
  'event by id': '/events/EVENT',
  'event by slug': '/events/by-slug/event-7',
  'venues, default': '/venues',
  'venues by search': '/venues?search=number 77',
  'venues of an event': '/venues?event=EVENT',
  'venue by id': '/venues/VENUE',
  'venue by slug': '/venues/by-slug/venue-7',
  'organizers, default': '/organizers',
  'organizers by search': '/organizers?search=number 77',
  'organizer by slug': '/organizers/by-slug/organizer-7',
  'categories, default': '/categories',
  'tags, default': '/tags',
  'categories of an event': '/categories?event=EVENT',
};
const CALLERS = [undefined, 'contributor', 'admin'] as const;

/**
 * Asks the main questions as several callers, and hands every statement behind them to `scansOf`, with the kind whose
 * plain list was asked for. What it finds, by statement.
 */
export async function problemsIn(
  server: TestServer,
  scansOf: (statement: string, listed?: string) => Promise<string[]>,
): Promise<{ looked: number; told: string[] }> {
  const one = async (table: string): Promise<string> => {
    const published = sql<{
      id: number;
    }>`SELECT id FROM ${sql.table(table)} WHERE status = 'publish' ORDER BY id LIMIT 1`;
    return String((await server.database.read((db) => db.first(published)))?.id);
  };
  const ids = { EVENT: await one('event'), VENUE: await one('venue'), ORGANIZER: await one('organizer') };
  const problems = new Map<string, string[]>();
  let looked = 0;
  for (const [what, template] of Object.entries(QUESTIONS)) {
    const address = template.replace(/EVENT|VENUE|ORGANIZER/g, (word) => ids[word as 'EVENT']);
    const lookedBefore = looked;
    for (const caller of CALLERS) {
      server.sqlSeen();
      const reply = await server.get(address, '', caller);
      assert.equal(reply.status, 200, `${address}: ${reply.text}`);
      // What looks every second for records whose time has come is nobody's question.
      const statements = server
        .sqlSeen()
        .filter((text) => /^(SELECT|WITH)\b/i.test(text.trim()) && !text.includes("status = 'future'"))
        // All that is published, once for all windows and pages: kept from then on.
        .filter((text) => !(text.includes(' AS day,') && !text.includes(' IN (SELECT')));
      for (const statement of new Set(statements)) {
        looked++;
        const listed = /^\w+(?=, default)/.exec(what)?.[0];
        for (const scan of await scansOf(statement, listed)) {
          const problem = `${scan}\n    in ${statement.replace(/\s+/g, ' ')}`;
          problems.set(problem, [...(problems.get(problem) ?? []), `${what} (${caller ?? 'anonymous'})`]);
        }
      }
    }
    // Strangers may be answered from memory; who is signed in never is.
    assert.ok(looked > lookedBefore, `${what} asked nothing`);
  }
  return { looked, told: [...problems].map(([problem, asked]) => `${problem}\n    for ${asked.join(', ')}`) };
}
