import { statSync } from 'node:fs';
import Sequencer from '@jest/test-sequencer';

/** Files that start services or chains take longest; the others fill the gaps after them. */
const LONGEST = [
  /test\/(crash|console|processes|matrix)\//,
  /test\/(withdrawals|chain|devnet)\//,
  /(e2e|soak)-spec/,
  /src\/(treasury|recovery|payments\/listener|platform\/(queue|database))\//,
];

/** Runs the longest files first, so that none of them runs alone at the end. */
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
