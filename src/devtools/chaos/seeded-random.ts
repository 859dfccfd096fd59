const RANGE = 2 ** 32;

/**
 * A pseudo-random generator (mulberry32): the same seed returns the same numbers, so that a run can be repeated. Not for
 * secrets.
 */
export class SeededRandom {
  private state: number;

  /** @param seed A whole number; its lowest 32 bits count. */
  constructor(seed: number) {
    this.state = seed | 0;
  }

  /** Returns a whole number from 0 to `limit` - 1. */
  below(limit: number): number {
    return Math.floor(this.fraction() * limit);
  }

  /** Returns true with this probability: 0 = never, 1 = always. */
  chance(share: number): boolean {
    return this.fraction() < share;
  }

  /** Returns the same items in random order. */
  shuffled<Item>(items: readonly Item[]): Item[] {
    const keyed = items.map((item) => ({ item, key: this.fraction() }));
    return keyed.toSorted((a, b) => a.key - b.key).map(({ item }) => item);
  }

  /** Returns `bytes` random bytes in hex with `0x`. */
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
