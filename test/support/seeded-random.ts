import { SeededRandom as Chance } from '../../src/devtools/chaos/seeded-random.js';

/** Random numbers of a seed, for plans of faults. */
export class SeededRandom extends Chance {
  constructor(readonly seed: number) {
    super(seed);
  }

  /** A whole number between the two, both included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('There is nothing to pick from.');
    return item;
  }
}
