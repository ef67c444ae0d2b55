/**
 * Room for bytes that are sent and then forgotten. Making a buffer takes longer than filling one of some kilobytes, so
 * several are cut from one slab, which goes when all of them are gone. It is small, since one client that reads slowly
 * keeps all of it.
 */
const SLAB_BYTES = 1 << 16;
/** Larger ones get a buffer of their own. */
const MOST_IN_SLAB = SLAB_BYTES / 4;

let slab: Buffer | undefined;
let used = 0;

/** Not filled yet. Whoever keeps it for long keeps `ownBytes` of it instead. */
export function briefly(length: number): Buffer {
  if (length > MOST_IN_SLAB) return Buffer.allocUnsafeSlow(length);
  if (!slab || used + length > SLAB_BYTES) [slab, used] = [Buffer.allocUnsafeSlow(SLAB_BYTES), 0];
  const part = slab.subarray(used, used + length);
  used += length;
  return part;
}

/** The same bytes, which keep no larger buffer in memory. */
export function ownBytes(bytes: Buffer): Buffer {
  if (bytes.length * 2 > bytes.buffer.byteLength) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  own.set(bytes);
  return own;
}
