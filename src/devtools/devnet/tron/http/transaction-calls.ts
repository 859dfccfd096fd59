import type { Json, JsonObject } from '../wire/json.js';
import type { FoundTransaction, NodeView } from './node-view.js';
import type { Handlers, RequestParams } from './request.js';
import { includedTransactionJson, transactionInfoJson } from './transaction-json.js';

/** Calls that answer transactions, on both interfaces. Unknown ones are `{}`, and a block without any is `[]`. */
export const TRANSACTION_CALLS: Handlers = {
  gettransactionbyid: (params, view) => {
    const id = params.hex('value');
    const included = view.transaction(id) ?? view.pending(id);
    return included === null ? {} : includedTransactionJson(included, params.isVisible);
  },
  gettransactioninfobyid: (params, view) => {
    const found = view.transaction(params.hex('value'));
    return found === null ? {} : info(found, params, showsInternal(view));
  },
  gettransactioninfobyblocknum: (params, view): Json => {
    const number = params.number('num');
    if (number <= 0) return {};
    const block = view.block(number);
    if (block === null) return [];
    const hasInternal = showsInternal(view);
    const { number: at, time } = block;
    return block.transactions.map((included) => info({ ...included, number: at, time }, params, hasInternal));
  },
};

let answers = 0;

/** Nodes save internal transactions or do not; behind one address there may be both. */
function showsInternal({ node }: NodeView): boolean {
  answers += 1;
  const mode = node.chain.settings.internalTransactions;
  return mode === 'on' || (mode === 'flapping' && answers % 2 === 0);
}

const info = (found: FoundTransaction, { isVisible }: RequestParams, hasInternal: boolean): JsonObject =>
  transactionInfoJson(found, isVisible, hasInternal);
