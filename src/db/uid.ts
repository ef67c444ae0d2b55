import { randomUUID } from 'node:crypto';

/**
 * A globally unique id for a record (UUID version 7). It begins with the time, so that new ones are adjacent in an
 * index instead of on scattered pages.
 */
export function newUid(milliseconds = Math.floor(performance.timeOrigin + performance.now())): string {
  const time = milliseconds.toString(16).padStart(12, '0');
  const random = randomUUID();
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`;
}
