import { witnessSignature } from '../chain/block.js';
import type { TronBlock } from '../chain/block-store.js';
import { base58Of } from '../address.js';
import { withoutDefaults, type JsonObject } from '../wire/json.js';
import type { NodeView } from './node-view.js';
import type { Handlers, RequestParams } from './request.js';
import { includedTransactionJson } from './transaction-json.js';

const BLOCKS_MAX = 100;
const ID_DIGITS = 64;

/** Calls that answer blocks, on both interfaces. Unknown blocks are `{}`. */
export const BLOCK_CALLS: Handlers = {
  getnowblock: (params, view) => shown(view.block(view.head), params),
  getblockbynum: (params, view) => shown(view.block(params.number('num')), params),
  getblockbyid: (params, view) => shown(view.blockById(params.hex('value')), params),
  getblock: (params, view) => {
    const block = blockOf(params.text('id_or_num'), view);
    return shown(block === null || params.flag('detail') ? block : { ...block, transactions: [] }, params);
  },
  getblockbylimitnext: (params, view) => {
    const [from, to] = [params.number('startNum'), params.number('endNum')];
    if (to <= 0 || to <= from || to - from > BLOCKS_MAX) return {};
    return listed(from, Math.min(to, view.head + 1), view, params);
  },
  getblockbylatestnum: (params, view): JsonObject => {
    const count = params.number('num');
    if (count <= 0 || count >= BLOCKS_MAX) return {};
    const { block } = listed(Math.max(0, view.head + 1 - count), view.head + 1, view, params);
    return { block: block.toReversed() };
  },
};

/** Source: Wallet.getBlock. */
function blockOf(idOrNumber: string, view: NodeView): TronBlock | null {
  if (idOrNumber === '') return view.block(view.head);
  if (/^-?\d+$/.test(idOrNumber) && idOrNumber.length < ID_DIGITS) {
    if (Number(idOrNumber) < 0) throw new RangeError('num must be non-positive number.');
    return view.block(Number(idOrNumber));
  }
  if (idOrNumber.length !== ID_DIGITS) throw new RangeError('id must be legal block hash.');
  return view.blockById(idOrNumber);
}

function listed(from: number, to: number, view: NodeView, params: RequestParams): { readonly block: JsonObject[] } {
  const numbers = Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset);
  return { block: numbers.map((number) => shown(view.block(number), params)) };
}

function shown(block: TronBlock | null, { isVisible }: RequestParams): JsonObject {
  return block === null ? {} : blockJson(block, isVisible);
}

/** Returns a block as java-tron writes it. Source: Util.printBlockToJSON. */
function blockJson(block: TronBlock, isVisible: boolean): JsonObject {
  return withoutDefaults({
    blockID: block.id,
    block_header: withoutDefaults({
      raw_data: withoutDefaults({
        number: block.number,
        txTrieRoot: block.transactionRoot,
        witness_address: isVisible && block.witness !== '' ? base58Of(block.witness) : block.witness,
        parentHash: block.parentId,
        version: block.version,
        timestamp: block.time,
      }),
      witness_signature: witnessSignature(block),
    }),
    transactions: block.transactions.map((included) => includedTransactionJson(included, isVisible)),
  });
}
