import { Rendered } from '../records/rendered.js';

/** `_fields=total,events.id,venue.city`: only these members, also within the elements of lists (A2). */
type Tree = Map<string, Tree | true>;

const SEPARATORS = /[\s,]+/;

function treeOf(text: string): Tree {
  const tree: Tree = new Map();
  for (const path of text.split(SEPARATORS)) {
    if (path === '') continue;
    const steps = path.split('.');
    let at = tree;
    for (const [i, step] of steps.entries()) {
      const known = at.get(step);
      if (known === true) break;
      if (i === steps.length - 1) at.set(step, true);
      else {
        const next: Tree = known ?? new Map();
        at.set(step, next);
        at = next;
      }
    }
  }
  return tree;
}

function pick(value: unknown, tree: Tree): unknown {
  if (value instanceof Rendered) return pick(value.toJSON(), tree);
  if (Array.isArray(value)) return value.map((one) => pick(one, tree));
  if (value === null || typeof value !== 'object') return value;
  const picked: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const below = tree.get(name);
    if (below !== undefined) picked[name] = below === true ? member : pick(member, below);
  }
  // Like every empty object (A2).
  return Object.keys(picked).length > 0 ? picked : [];
}

/** `wish`: as sent, a text or a list of texts. Members named in `kept` are always included. */
export function onlyFields(body: unknown, wish: unknown, kept = ''): unknown {
  const text = Array.isArray(wish) ? wish.filter((one) => typeof one === 'string').join(',') : wish;
  return typeof text === 'string' && /[^\s,]/.test(text) ? pick(body, treeOf(`${text},${kept}`)) : body;
}
