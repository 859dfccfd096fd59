import { type BlockHeader, ChainUnavailable } from '../chain.js';
import { abilityOf, HISTORY_MS, inDays, versionOf } from '../node-abilities.js';
import type { NodeFacts } from '../node-facts.js';
import {
  signaturesShape,
  signedBlockShape,
  slotShape,
  slotsShape,
  transactionShape,
  versionShape,
} from './rpc-shapes.js';
import { resultOf, type SolanaRpc } from './solana-rpc.js';

/** Blocks that a proof of expiry reads. */
const PROOF_BLOCKS = 151;

/** Returns what a node says about itself, and whether it has what listener and treasury ask of it. */
export async function solanaNodeFacts(
  rpc: SolanaRpc,
  headerAt: (slot: number) => Promise<BlockHeader | null>,
): Promise<NodeFacts> {
  const version = await versionOf(async () => (await rpc.ask(versionShape, 'getVersion', []))['solana-core']);
  const abilities = [
    await abilityOf(
      { name: 'history', isRequired: false, advice: 'use a node that keeps the history of addresses' },
      async () => history(rpc, headerAt),
    ),
    await abilityOf(
      {
        name: 'transactions of an address',
        isRequired: true,
        advice:
          'use a node that answers getSignaturesForAddress and getTransaction with version 1: payments are found by them',
      },
      async () => transactionsOfAnAddress(rpc),
    ),
    await abilityOf(
      {
        name: 'final blocks in a row',
        isRequired: true,
        advice: 'use a node that answers getBlocksWithLimit: without it an expired payment is not paid again',
      },
      async () => {
        const slot = await rpc.slotAt('finalized');
        const params = [Math.max(0, slot - 2 * PROOF_BLOCKS), PROOF_BLOCKS, { commitment: 'finalized' }];
        return `${(await rpc.ask(slotsShape, 'getBlocksWithLimit', params)).length} listed`;
      },
    ),
  ];
  return { version, abilities };
}

/** A chain that is younger has its whole history. */
async function history(rpc: SolanaRpc, headerAt: (slot: number) => Promise<BlockHeader | null>): Promise<string> {
  const oldest = await headerAt(await rpc.ask(slotShape, 'getFirstAvailableBlock', []));
  if (oldest === null) throw new ChainUnavailable('no block that it names');
  const kept = Date.now() - oldest.time.getTime();
  if (oldest.height > 0 && kept < HISTORY_MS) throw new ChainUnavailable(`the last ${inDays(kept)} only`);
  return oldest.height === 0 ? 'from the first block on' : inDays(kept);
}

/** Reads a transaction of the newest final block, and the history of the address that paid its fee. */
async function transactionsOfAnAddress(rpc: SolanaRpc): Promise<string> {
  const slot = await rpc.slotAt('finalized');
  const [block] = await rpc.blocksAt([slot], 'finalized', 'signatures');
  const [txHash] = resultOf(signedBlockShape, block).signatures;
  if (txHash === undefined) return `not tried: the block at slot ${slot} is empty`;
  const [outcome] = await rpc.transactions([txHash], 'finalized');
  const [payer] = resultOf(transactionShape, outcome).transaction.message.accountKeys;
  const page = await rpc.ask(signaturesShape, 'getSignaturesForAddress', [
    payer,
    { commitment: 'finalized', limit: 1 },
  ]);
  if (page.length === 0) throw new ChainUnavailable(`It lists no transaction of ${payer}, which paid for one.`);
  return `of slot ${slot}`;
}
