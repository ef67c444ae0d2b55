import type { Asked } from './fuzz.request.js';

/** Makes a failing request smaller as long as it still fails; undefined when it does not fail alone. */
export async function shrunk(
  asked: Asked,
  fails: (asked: Asked) => Promise<boolean>,
  budget = 250,
): Promise<Asked | undefined> {
  let left = budget;
  const still = async (one: Asked): Promise<boolean> => left-- > 0 && fails(one);
  if (asked.raw || !(await still(asked))) return undefined;
  let best = asked;
  for (let again = true; again && left > 0; ) {
    again = false;
    for (const smaller of candidates(best)) {
      if (!(await still(smaller))) continue;
      best = smaller;
      again = true;
      break;
    }
  }
  return best;
}

/** Everything that has one thing less. */
function* candidates(asked: Asked): Generator<Asked> {
  if (asked.body)
    yield { ...asked, body: undefined, headers: asked.headers.filter(([name]) => !/^content-/i.test(name)) };
  for (let n = 0; n < asked.headers.length; n++) yield { ...asked, headers: asked.headers.toSpliced(n, 1) };
  const [path = '', query] = asked.target.split(/\?(.*)/s);
  if (query !== undefined) {
    const pairs = query.split('&');
    yield { ...asked, target: path };
    if (pairs.length > 1)
      for (let n = 0; n < pairs.length; n++) yield { ...asked, target: `${path}?${pairs.toSpliced(n, 1).join('&')}` };
  }
  if (asked.body) for (const body of smallerBodies(asked.body)) yield { ...asked, body };
}

function* smallerBodies(body: Buffer): Generator<Buffer> {
  let json: unknown;
  try {
    json = JSON.parse(body.toString('utf8'));
  } catch {
    const half = Math.floor(body.length / 2);
    if (half === 0) return;
    yield body.subarray(0, half);
    yield body.subarray(half);
    yield body.subarray(0, body.length - 1);
    yield body.subarray(1);
    return;
  }
  for (const one of smallerValues(json)) yield Buffer.from(JSON.stringify(one));
}

function* smallerValues(value: unknown): Generator<unknown> {
  if (typeof value === 'string' && value.length > 1) {
    const half = Math.floor(value.length / 2);
    yield value.slice(0, half);
    yield value.slice(half);
    if (value.length <= 30) for (let n = 0; n < value.length; n++) yield value.slice(0, n) + value.slice(n + 1);
  } else if (Array.isArray(value)) {
    if (value.length > 8) yield value.slice(0, value.length / 2);
    for (let n = 0; n < Math.min(value.length, 40); n++) yield value.toSpliced(n, 1);
    for (let n = 0; n < Math.min(value.length, 5); n++)
      for (const one of smallerValues(value[n])) yield value.with(n, one);
  } else if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    if (entries.length > 8) yield Object.fromEntries(entries.slice(0, entries.length / 2));
    for (let n = 0; n < Math.min(entries.length, 60); n++) yield Object.fromEntries(entries.toSpliced(n, 1));
    for (let n = 0; n < Math.min(entries.length, 30); n++) {
      const [name, inner] = entries[n] as [string, unknown];
      for (const one of smallerValues(inner)) yield Object.fromEntries(entries.with(n, [name, one]));
    }
  }
}
