import type { ChainClient } from '../../src/chains/chain.js';
import type { NodeSession } from '../../src/chains/nodes/chain-nodes.js';

/** A session with the only node of a chain. */
export const sessionOn = (client: ChainClient): NodeSession => ({
  label: 'http://a:1',
  client,
  isAlone: true,
  replacesLaggard: false,
  verify: () => Promise.resolve(),
  assertCaughtUp: () => undefined,
  askOthers: () => Promise.resolve([]),
});
