import type { Kind, Ref, Step } from '../differential.steps.js';
import type { Reply } from './server.js';

/** Random steps as questions, and answers as something to compare. */

export type Made = Record<Kind, number[]>;
const isRef = (value: unknown): value is Ref => typeof value === 'object' && value !== null && 'ref' in value;
const idAt = (ids: number[], n: number): number => ids[n % Math.max(1, ids.length)] ?? 1;

/** Puts ids in the place of references, at any depth. */
function resolved(value: unknown, made: Made): unknown {
  if (isRef(value)) return idAt(made[value.ref], value.n);
  if (Array.isArray(value)) return value.map((one) => resolved(one, made));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolved(one, made)]));
}

export interface Question {
  method: string;
  at: string;
  as: Step['as'];
  query: Record<string, unknown>;
  json?: unknown;
}

export function questionOf({ method, kind, which, as, query, json }: Step, made: Made): Question {
  const place =
    typeof which === 'string' ? `/by-slug/${which}` : which === undefined ? '' : `/${idAt(made[kind], which)}`;
  return {
    method,
    at: `/${kind}${place}`,
    as,
    query: resolved(query ?? {}, made) as Record<string, unknown>,
    ...(json ? { json: resolved(json, made) } : {}),
  };
}

/** Headers of the moment and of the connection. */
const PASSING = new Set(['date', 'connection', 'keep-alive', 'x-request-id', 'server-timing', 'transfer-encoding']);

/** What an answer tells, whoever gives it and when. */
export const told = ({ status, headers, text }: Reply) => ({
  status,
  headers: [...headers].filter(([name]) => !PASSING.has(name)).sort(),
  body: text,
});
