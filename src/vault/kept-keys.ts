/** Number of keys to keep for an account, at 32 bytes each: more than one request to the vault may name. */
const KEYS_KEPT_MAX = 512;

/**
 * Private keys of one account by their index in the key tree. Deriving a key takes milliseconds, so the last used keys
 * are kept. A key is zeroed when another one replaces it, and when all are wiped.
 */
export class KeptKeys {
  // Fields are spelled out because worker threads load this file from source, where parameter properties do not exist.
  private readonly derive: (indexes: readonly number[]) => readonly Uint8Array[];
  private readonly max: number;
  /** The least recently used first. */
  private readonly keys = new Map<number, Uint8Array>();

  /** @param derive Returns the keys at these indexes, in their order, as new arrays. */
  constructor(derive: (indexes: readonly number[]) => readonly Uint8Array[], max = KEYS_KEPT_MAX) {
    this.derive = derive;
    this.max = max;
  }

  /** Returns the key at an index. A later call may zero it, so the caller uses it at once. */
  at(index: number): Uint8Array {
    this.load([index]);
    return this.use(index, this.keys.get(index));
  }

  /** Derives the missing keys together, which is faster than one by one. */
  load(indexes: readonly number[]): void {
    const missing = [...new Set(indexes)].filter((index) => !this.keys.has(index));
    const derived = missing.length > 0 ? this.derive(missing) : [];
    for (const [place, index] of missing.entries()) this.use(index, derived[place]);
    for (const index of indexes) this.use(index, this.keys.get(index));
    for (const [index, key] of this.keys) {
      if (this.keys.size <= this.max) return;
      key.fill(0);
      this.keys.delete(index);
    }
  }

  /** Zeroes every key. */
  wipe(): void {
    for (const key of this.keys.values()) key.fill(0);
    this.keys.clear();
  }

  /** Marks the key as last used. */
  private use(index: number, key: Uint8Array | undefined): Uint8Array {
    if (key === undefined) throw new Error('The vault derived no key.');
    this.keys.delete(index);
    this.keys.set(index, key);
    return key;
  }
}
