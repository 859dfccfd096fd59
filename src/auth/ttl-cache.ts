interface Entry<Value> {
  readonly askedAt: number;
  readonly value: Promise<Value | null>;
}

/**
 * Remembers for at most `ttlMs` what `load` found, and loads once when many ask at the same time. What was not found is
 * not remembered. Age counts from the moment of asking, so nothing older than `ttlMs` is ever given.
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

  /** A new entry goes to the end of the map, so that the oldest is the first. */
  private remember(key: string, entry: Entry<Value>): void {
    this.entries.delete(key);
    const [oldest] = this.entries.keys();
    if (oldest !== undefined && this.entries.size >= this.entriesMax) this.entries.delete(oldest);
    this.entries.set(key, entry);
  }
}
