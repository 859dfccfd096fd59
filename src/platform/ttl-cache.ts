interface Entry<Value> {
  readonly askedAt: number;
  readonly value: Promise<Value | null>;
}

/**
 * Caches the results of `load` for `ttlMs`, and loads once when many callers ask at the same time. Null is not cached. Age
 * counts from the start of the load, so no result is older than `ttlMs`.
 */
export class TtlCache<Value> {
  private readonly entries = new Map<string, Entry<Value>>();

  constructor(
    private readonly ttlMs: number,
    private readonly entriesMax: number,
    private readonly load: (key: string) => Promise<Value | null>,
  ) {}

  get(key: string): Promise<Value | null> {
    const now = performance.now();
    const known = this.entries.get(key);
    if (known !== undefined && now - known.askedAt < this.ttlMs) return known.value;
    const value = this.loaded(key);
    this.remember(key, { askedAt: now, value });
    return value;
  }

  private async loaded(key: string): Promise<Value | null> {
    let found: Value | null = null;
    try {
      found = await this.load(key);
    } finally {
      if (found === null) this.entries.delete(key);
    }
    return found;
  }

  /** Adds an entry at the end of the map, so that the oldest is the first. */
  private remember(key: string, entry: Entry<Value>): void {
    this.entries.delete(key);
    const [oldest] = this.entries.keys();
    if (oldest !== undefined && this.entries.size >= this.entriesMax) this.entries.delete(oldest);
    this.entries.set(key, entry);
  }
}
