/** 32 bits that nearly always differ for different keys, never 0. Keys are no secrets, and nothing is proved by them. */
export function fingerprint(key: string | number): number {
  let bits = 0x811c9dc5;
  if (typeof key === 'number') bits = Math.imul(bits ^ (key % 2 ** 32), 0x01000193) ^ Math.floor(key / 2 ** 32);
  // FNV-1a.
  else for (let at = 0; at < key.length; at++) bits = Math.imul(bits ^ key.charCodeAt(at), 0x01000193);
  // All bits of the result depend on all of these.
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0 || 1;
}
