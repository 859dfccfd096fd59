import { withoutDefaults } from '../wire/json.js';
import type { NodeView } from './node-view.js';
import type { Handlers } from './request.js';

/** Calls about the node and its prices, on both interfaces. */
export const NODE_CALLS: Handlers = {
  getenergyprices: (_params, { node }) => ({ prices: node.chain.settings.energyPrices.join(',') }),
  getbandwidthprices: (_params, { node }) => ({ prices: node.chain.settings.bandwidthPrices.join(',') }),
  getnodeinfo: (_params, { node: { chain } }) => ({
    block: `Num:${chain.head},ID:${chain.blocks.idOf(chain.head)}`,
    solidityBlock: `Num:${chain.solid},ID:${chain.blocks.idOf(chain.solid)}`,
    beginSyncNum: chain.solid,
    configNodeInfo: { codeVersion: 'development chain', supportConstant: true, dbVersion: 2 },
  }),
};

/** Calls about the node that only a full node answers. */
export const FULL_NODE_CALLS: Handlers = {
  getchainparameters: (_params, { node }: NodeView) => ({
    chainParameter: Object.entries(node.chain.settings.parameters).map(([key, value]) =>
      withoutDefaults({ key, value }),
    ),
  }),
};
