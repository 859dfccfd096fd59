const RANGE = 2 ** 32;

/**
 * Numbers that look random and are the same for the same seed, so that a rehearsal can be repeated (mulberry32). Never
 * for anything that must not be guessed.
 */
export class SeededRandom {
  private state: number;

  /** @param seed a whole number; its lowest 32 bits count. */
  constructor(seed: number) {
    this.state = seed | 0;
  }

  /** A whole number from 0 to one below `limit`. */
  below(limit: number): number {
    return Math.floor(this.fraction() * limit);
  }

  /** True in this share of the cases: 0 = never, 1 = always. */
  chance(share: number): boolean {
    return this.fraction() < share;
  }

  /** The same items in another order. */
  shuffled<Item>(items: readonly Item[]): Item[] {
    const keyed = items.map((item) => ({ item, key: this.fraction() }));
    return keyed.toSorted((a, b) => a.key - b.key).map(({ item }) => item);
  }

  /** That many bytes in hex, after `0x`. */
  hex(bytes: number): string {
    return `0x${Array.from({ length: bytes }, () => this.below(256).toString(16).padStart(2, '0')).join('')}`;
  }

  private fraction(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / RANGE;
  }
}
