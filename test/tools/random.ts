/** Chance that can be repeated: the same seed gives the same choices, on every machine. */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number; both ends are possible. */
  int(least: number, most: number): number;
  chance(share: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** One of the keys, each as often as its weight says. */
  weighed<K extends string>(weights: Readonly<Record<K, number>>): K;
  bytes(length: number): Buffer;
}

/** Spreads the bits of one or two numbers (murmur3's last step), so that neighbours have nothing in common. */
function mix(a: number, b: number): number {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 0x7f4a7c15, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** `stream` tells apart the uses of one seed: the request with that number, the writer with that name. */
export function randomOf(seed: number, stream = 0): Random {
  let state = mix(seed, stream);
  // Mulberry32: small, fast and even enough to choose by.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const int = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    int,
    chance: (share) => next() < share,
    pick: (from) => {
      if (from.length === 0) throw new Error('There is nothing to pick from');
      return from[int(0, from.length - 1)] as (typeof from)[number];
    },
    weighed: <K extends string>(weights: Readonly<Record<K, number>>) => {
      const entries = Object.entries(weights) as [K, number][];
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [key, weight] of entries) {
        left -= weight;
        if (left < 0) return key;
      }
      return (entries.at(-1) as [K, number])[0];
    },
    bytes: (length) => Buffer.from(Array.from({ length }, () => int(0, 255))),
  };
}
