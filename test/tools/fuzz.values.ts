import {
  COSTS,
  DATES,
  DEGREES,
  EMAILS,
  FIELDS,
  FLAGS,
  LONE,
  NUMBER_TEXTS,
  NUMBERS,
  ORDERS,
  PICTURES,
  STATUSES,
  TEXTS,
  WEBSITES,
  ZONES,
} from './fuzz.corpus.js';
import type { Random } from './random.js';

/** Values by choice: fitting, odd and bad ones. */

const LONG = [1000, 2000, 2001, 10_000, 200_000, 200_001, 900_000];

export function longText(random: Random): string {
  const unit = random.pick(['a', 'é', '漢', '👍', ' ', '<p>', '&', '\\', '"', 'a b ', '\n\n', '-', '(', '[caption]']);
  // The longest only now and then: they cost the most.
  const length = random.chance(0.1) ? random.pick(LONG) : random.pick(LONG.slice(0, 4));
  return unit.repeat(Math.ceil(length / unit.length));
}

/** Letters from anywhere in Unicode. */
export function anyText(random: Random): string {
  let text = '';
  for (let n = random.int(1, 40); n > 0; n--) {
    const point = random.pick([
      () => random.int(0x20, 0x7e),
      () => random.int(0, 0xff),
      () => random.int(0x100, 0xd7ff),
      () => random.int(0xe000, 0xffff),
      () => random.int(0x10000, 0x10ffff),
    ])();
    text += String.fromCodePoint(point);
  }
  return text;
}

export function nested(random: Random, depth: number): unknown {
  let value: unknown = random.pick(['x', 1, null, []]);
  const list = random.chance(0.5);
  for (let n = 0; n < depth; n++) value = list ? [value] : { a: value };
  return value;
}

/** Something that fits no parameter. */
export function hostile(random: Random): unknown {
  switch (random.weighed({ text: 30, any: 15, number: 12, numeric: 8, lone: 4, deep: 3, long: 2, shape: 20 })) {
    case 'text':
      return random.pick(TEXTS);
    case 'any':
      return anyText(random);
    case 'number':
      return random.pick(NUMBERS);
    case 'numeric':
      return random.pick(NUMBER_TEXTS);
    case 'lone':
      return random.pick(LONE);
    case 'deep':
      return nested(random, random.pick([2, 10, 100, 1000]));
    case 'long':
      return longText(random);
    default:
      return random.pick<() => unknown>([
        () => null,
        () => true,
        () => [],
        () => ({}),
        () => [[]],
        () => [null, undefined, 1, 'a', {}],
        () => Array.from({ length: random.pick([50, 501, 5000]) }, (_, n) => n + 1),
        () => Array.from({ length: 60 }, () => random.pick(TEXTS)),
        () => ({ length: 3, 0: 'a', toString: 1, valueOf: 'x' }),
        () => ({ id: hostile(random) }),
        () => JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":{"x":1}}}'),
        () => Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`k${n}`, n])),
      ])();
  }
}

/** From the beginning of each list, where the good ones are, or from all of it. */
const oneOf = <T>(random: Random, from: readonly T[], good: number, tame: boolean): T =>
  random.pick(tame ? from.slice(0, good) : from);

/** A value that the parameter of this name may well take; a tame one it will. */
export function plausible(random: Random, name: string, tame: boolean): unknown {
  if (/date|before|after|sale/.test(name)) return oneOf(random, DATES, 12, tame);
  if (/zone/.test(name)) return oneOf(random, ZONES, 6, tame);
  if (/status/.test(name)) return oneOf(random, STATUSES, 5, tame);
  if (name === 'image') return oneOf(random, PICTURES, PICTURES.length, tame);
  if (/website|url/.test(name)) return oneOf(random, WEBSITES, 1, tame);
  if (name === 'cost' || name === 'price') return oneOf<unknown>(random, COSTS, 6, tame);
  if (name === '_fields') return random.pick(FIELDS);
  if (/^order/.test(name)) return oneOf(random, ORDERS, 6, tame);
  if (/lat|lng|distance/.test(name)) return oneOf(random, DEGREES, 5, tame);
  if (name === 'venue' || name === 'organizer')
    return random.chance(0.4) ? linked(random, name, random.chance(0.2) ? 2 : 1, tame) : someIds(random, tame);
  if (/categories|tags/.test(name))
    return tame ? random.pick(['Music', 'one,two', ['Jazz', 'New']]) : someIds(random, tame);
  if (name === 'author') return random.int(1, tame ? 5 : 9);
  if (/include|exclude|parent|^id$|event|post/.test(name)) return someIds(random, tame);
  if (name === 'tickets')
    return [{ name: 'Seat', price: 12, currency: 'EUR', ...(tame ? {} : { [random.pick(TEXTS)]: hostile(random) }) }];
  if (/page/.test(name)) return oneOf<number | string>(random, [1, 2, 5, 10, 50, '3', 100000], 2, tame);
  if (/all_day|show|hide|sticky|featured|strict|geoloc|ticketed|force|has_|only/.test(name))
    return oneOf(random, FLAGS, 8, tame);
  if (/email/.test(name)) return oneOf(random, EMAILS, 1, tame);
  return random.chance(0.5) ? `Words ${random.int(1, 400)}` : random.pick(TEXTS);
}

function someIds(random: Random, tame: boolean): unknown {
  const id = (): number => (random.chance(0.9) ? random.int(1, 30) : random.int(1, 5000));
  return random.pick<() => unknown>([id, id, () => [id(), id()], () => (tame ? id() : random.pick(TEXTS))])();
}

function linked(random: Random, name: string, many: number, tame: boolean): unknown {
  const one = (): unknown => ({
    [name]: random.pick(['Town hall', 'Zoo', `Place ${random.int(1, 400)}`, tame ? 'Park' : random.pick(TEXTS)]),
    ...(random.chance(0.3) ? { geo_lat: tame ? 1 : random.pick([1, 91, '52.5', 'x']), geo_lng: 13 } : {}),
    ...(tame || random.chance(0.5)
      ? {}
      : { [random.pick(['website', 'id', 'status', 'image', 'date'])]: hostile(random) }),
  });
  return many === 1 ? one() : Array.from({ length: many }, one);
}
