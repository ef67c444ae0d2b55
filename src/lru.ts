/** Holds what was used lately, up to so many bytes and entries; what has not been used for longest goes first. */
export class Lru<K, V> {
  private readonly known = new Map<K, { value: V; bytes: number }>();
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
    // A Map keeps the order of insertion: putting it back makes it the youngest.
    this.known.delete(key);
    this.known.set(key, found);
    return found.value;
  }

  /** What alone would take a good part of the room is not held. */
  set(key: K, value: V, bytes: number): void {
    this.delete(key);
    if (bytes > this.mostBytes / 2) return;
    this.known.set(key, { value, bytes });
    this.held += bytes;
    for (const oldest of this.known.keys()) {
      if (this.held <= this.mostBytes && this.known.size <= this.mostEntries) break;
      this.delete(oldest);
    }
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
