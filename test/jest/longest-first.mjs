import { statSync } from 'node:fs';
import Sequencer from '@jest/test-sequencer';

/** Files that start services or chains of their own take longest; the others fill the gaps behind them. */
const LONGEST = [/test\/(crash|processes)\//, /test\/(withdrawals|chain)\//, /e2e-spec/];

/** Begins with the files that take longest, so that no worker is left alone with one at the end. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const ranked = [...tests].map((test) => ({ test, rank: rankOf(test.path), bytes: statSync(test.path).size }));
    return ranked.toSorted((one, other) => one.rank - other.rank || other.bytes - one.bytes).map(({ test }) => test);
  }
}

function rankOf(path) {
  const rank = LONGEST.findIndex((pattern) => pattern.test(path));
  return rank === -1 ? LONGEST.length : rank;
}
