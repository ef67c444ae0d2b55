import { randomUUID } from 'node:crypto';

/**
 * A name for a record that no other has, anywhere (UUID of version 7). It begins with the time, so that new ones stand
 * side by side in an index, and not each on another page of it.
 */
export function newUid(milliseconds = Math.floor(performance.timeOrigin + performance.now())): string {
  const time = milliseconds.toString(16).padStart(12, '0');
  const random = randomUUID();
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`;
}
