/**
 * Holds what was used recently, up to so many bytes and entries. To make room, it evicts the oldest entry that was not
 * used since it was last passed over: nearly the least recently used one, and a lookup only sets a flag.
 */
export class Lru<K, V> {
  private readonly known = new Map<K, { value: V; bytes: number; used: boolean }>();
  /** Where eviction continues. A new iterator would have to skip the slots of all entries that were deleted before. */
  private hand: ReturnType<typeof this.known.entries> | undefined;
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

  /** A value that would take most of the room alone is not held. */
  isTooLarge(bytes: number): boolean {
    return bytes > this.mostBytes * 0.75;
  }

  set(key: K, value: V, bytes: number): void {
    this.delete(key);
    if (this.isTooLarge(bytes)) return;
    while (this.known.size > 0 && (this.held + bytes > this.mostBytes || this.known.size >= this.mostEntries)) {
      this.passOldest();
    }
    this.known.set(key, { value, bytes, used: false });
    this.held += bytes;
  }

  /** A Map iterates in insertion order, and an entry that is removed and added again is visited again at the end. */
  private passOldest(): void {
    this.hand ??= this.known.entries();
    const next = this.hand.next();
    if (next.done) {
      this.hand = undefined;
      return;
    }
    const [oldest, entry] = next.value;
    this.known.delete(oldest);
    if (entry.used) this.known.set(oldest, { ...entry, used: false });
    else this.held -= entry.bytes;
  }

  delete(key: K): void {
    const found = this.known.get(key);
    if (!found) return;
    this.known.delete(key);
    this.held -= found.bytes;
  }

  clear(): void {
    this.known.clear();
    this.hand = undefined;
    this.held = 0;
  }

  entries(): [K, V][] {
    return [...this.known].map(([key, { value }]) => [key, value]);
  }
}
