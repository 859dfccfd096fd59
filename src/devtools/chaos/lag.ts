import { z } from 'zod';
import { heightAt, heightIn, heightOf, quantity } from './block-numbers.js';
import type { Fault, Lie, Oracle } from './fault.js';
import type { RpcOutcome } from './rpc-message.js';

/** The answer to a question of a node whose newest block is `top`. */
type View = (top: number, params: readonly unknown[], truth: RpcOutcome, node: Oracle) => Promise<RpcOutcome>;

const FILTER = z.looseObject({ blockHash: z.string().optional() });
const PINNED = z.looseObject({ blockHash: z.string() });
const NOTHING: RpcOutcome = { result: null };

const refusal = (message: string): RpcOutcome => ({ error: { code: -32_000, message } });
const resultIn = (outcome: RpcOutcome): unknown => ('result' in outcome ? outcome.result : null);

/** Data of a block that the node does not have yet does not exist. */
const unlessAbove: View = async (top, _params, truth) => ((heightOf(resultIn(truth)) ?? 0) > top ? NOTHING : truth);

const blockByNumber =
  (blocks: number): View =>
  async (top, [block, whole], truth, node) => {
    if (block === 'latest' || block === 'pending') return node.ask('eth_getBlockByNumber', quantity(top), whole);
    if (block !== 'safe' && block !== 'finalized') return unlessAbove(top, [], truth, node);
    const height = heightOf(resultIn(truth));
    return height === null ? truth : node.ask('eth_getBlockByNumber', quantity(height - blocks), whole);
  };

const countOfBlock: View = async (top, [block], truth, node) =>
  ((await heightAt(node, block)) ?? 0) > top ? NOTHING : truth;

/** By hash a lagging node fails; by range it returns the logs that it has, which is how payments are missed. */
const logs: View = async (top, [filter], truth, node) => {
  const { blockHash } = FILTER.parse(filter);
  if (blockHash !== undefined) return ((await heightAt(node, blockHash)) ?? 0) > top ? refusal('unknown block') : truth;
  const found = resultIn(truth);
  return Array.isArray(found) ? { result: found.filter((log) => (heightOf(log) ?? 0) <= top) } : truth;
};

/** Balances, calls and the like, whose last parameter is the block. */
const asOfBlock =
  (method: string): View =>
  async (top, params, truth, node) => {
    const block = params.at(-1);
    if (block === 'latest' || block === 'pending') return node.ask(method, ...params.slice(0, -1), quantity(top));
    const pinned = PINNED.safeParse(block).data;
    const height = pinned === undefined ? heightIn(block) : await heightAt(node, pinned.blockHash);
    return (height ?? 0) > top ? refusal('header not found') : truth;
  };

const STATE_METHODS = ['eth_getBalance', 'eth_call', 'eth_getCode', 'eth_getStorageAt', 'eth_getTransactionCount'];

const viewsOf = (blocks: number): Readonly<Record<string, View>> => ({
  eth_blockNumber: async (top) => ({ result: quantity(top) }),
  eth_getBlockByNumber: blockByNumber(blocks),
  eth_getBlockByHash: unlessAbove,
  eth_getBlockTransactionCountByHash: countOfBlock,
  eth_getBlockTransactionCountByNumber: countOfBlock,
  eth_getTransactionByHash: unlessAbove,
  eth_getTransactionReceipt: unlessAbove,
  eth_getLogs: logs,
  ...Object.fromEntries(STATE_METHODS.map((method) => [method, asOfBlock(method)])),
});

/** Returns the fault of a node that does not have the newest `blocks` blocks yet, with the answers of real nodes. */
export function lag(blocks: number): Fault {
  const views = viewsOf(blocks);
  const falsify: Lie = async ({ method, params }, truth, node) => {
    const view = views[method];
    if (view === undefined) return truth;
    const height = heightIn(await node.resultOf('eth_blockNumber'));
    return height === null ? truth : view(Math.max(0, height - blocks), params, truth, node);
  };
  return {
    name: 'lag',
    about: `is ${blocks} blocks behind, and does not have these blocks by hash either`,
    begin: () => ({ kind: 'answer', falsify }),
  };
}
