/**
 * Holds what was used lately, up to so many bytes and entries. When room is needed, the oldest goes that was not used
 * since it was last passed over: nearly the least recently used, and a look costs no more than a look.
 */
export class Lru<K, V> {
  private readonly known = new Map<K, { value: V; bytes: number; used: boolean }>();
  private held = 0;

  constructor(
    private readonly mostBytes: number,
    private readonly mostEntries: number,
  ) {}

  get size(): number {
    return this.known.size;
  }

  get bytes(): number {
    return this.held;
  }

  get(key: K): V | undefined {
    const found = this.known.get(key);
    if (!found) return undefined;
    found.used = true;
    return found.value;
  }

  /** What alone would take most of the room is not held. */
  isTooLarge(bytes: number): boolean {
    return bytes > this.mostBytes * 0.75;
  }

  set(key: K, value: V, bytes: number): void {
    this.delete(key);
    if (this.isTooLarge(bytes)) return;
    // A Map keeps the order of insertion, and what is put back while it is walked comes again at the end.
    for (const [oldest, entry] of this.known) {
      if (this.held + bytes <= this.mostBytes && this.known.size < this.mostEntries) break;
      this.known.delete(oldest);
      if (entry.used) this.known.set(oldest, { ...entry, used: false });
      else this.held -= entry.bytes;
    }
    this.known.set(key, { value, bytes, used: false });
    this.held += bytes;
  }

  delete(key: K): void {
    const found = this.known.get(key);
    if (!found) return;
    this.known.delete(key);
    this.held -= found.bytes;
  }

  clear(): void {
    this.known.clear();
    this.held = 0;
  }

  entries(): [K, V][] {
    return [...this.known].map(([key, { value }]) => [key, value]);
  }
}
