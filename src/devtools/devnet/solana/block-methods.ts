import { z } from 'zod';
import { addressOf, base58Of } from './account-key.js';
import type { Block } from './block-ledger.js';
import { atLeastConfirmed, secondsOf, type Methods, type SolanaNode } from './node.js';
import {
  blockCleanedUp,
  blockNotAvailable,
  invalidParams,
  longTermStorageSlotSkipped,
  slotSkipped,
} from './rpc-error.js';
import { CONTEXT, CONTEXT_FIELDS, parseParams, SLOT } from './rpc-params.js';
import { accountsAnswer, transactionAnswer, TRANSACTION_ENCODING } from './transaction-answer.js';

/** Agave `MAX_GET_CONFIRMED_BLOCKS_RANGE`. */
const RANGE_MAX = 500_000;

const BLOCK_CONFIG = z
  .object({
    ...CONTEXT_FIELDS,
    encoding: TRANSACTION_ENCODING.nullish(),
    transactionDetails: z.enum(['full', 'accounts', 'signatures', 'none']).nullish(),
    rewards: z.boolean().nullish(),
    maxSupportedTransactionVersion: SLOT.nullish(),
  })
  .nullish();

type BlockConfig = z.infer<typeof BLOCK_CONFIG>;

/** The calls about blocks. A slot that has none is answered as a node does (Agave `rpc.rs` `get_block`). */
export function blockMethods(node: SolanaNode): Methods {
  const { chain } = node;
  const { ledger, finality } = chain;

  /** @throws RpcError for a slot without a block that the node may show */
  const blockAt = (slot: number, commitment: 'confirmed' | 'finalized'): Block => {
    if (slot < chain.firstSlot) throw blockCleanedUp(slot, chain.firstSlot);
    if (slot > finality.block(commitment).slot) throw blockNotAvailable(slot);
    const block = ledger.at(slot);
    if (block !== null) return block;
    if (slot >= finality.finalizedSlot) throw blockNotAvailable(slot);
    throw node.hasArchive ? longTermStorageSlotSkipped(slot) : slotSkipped(slot);
  };
  const slotsUpTo = (from: number, to: number, limit: number, config: z.infer<typeof CONTEXT>): number[] => {
    const commitment = atLeastConfirmed(config?.commitment);
    const bank = node.bankOf({ ...config, commitment });
    return ledger.slots(Math.max(from, chain.firstSlot), Math.min(to, bank.slot), limit);
  };

  return {
    getBlock: (params) => {
      const [slot, config] = parseParams(z.tuple([SLOT, BLOCK_CONFIG.optional()]), params);
      return blockAnswer(node, blockAt(slot, atLeastConfirmed(config?.commitment)), config);
    },
    getBlockTime: (params) => {
      const [slot] = parseParams(z.tuple([SLOT]), params);
      return secondsOf(blockAt(slot, 'confirmed').timeMs);
    },
    getBlocks: (params) => {
      const schema = z.tuple([SLOT, z.union([SLOT, z.null(), CONTEXT]).optional(), CONTEXT.optional()]);
      const [from, second, third] = parseParams(schema, params);
      const to = typeof second === 'number' ? second : from + RANGE_MAX;
      if (to - from > RANGE_MAX) throw invalidParams(`Slot range too large; max ${RANGE_MAX}`);
      return slotsUpTo(from, to, RANGE_MAX, typeof second === 'object' && second !== null ? second : third);
    },
    getBlocksWithLimit: (params) => {
      const [from, limit, config] = parseParams(z.tuple([SLOT, SLOT, CONTEXT.optional()]), params);
      if (limit > RANGE_MAX) throw invalidParams(`Limit too large; max ${RANGE_MAX}`);
      return slotsUpTo(from, Number.MAX_SAFE_INTEGER, limit, config);
    },
    getFirstAvailableBlock: () => ledger.slots(chain.firstSlot, ledger.head.slot, 1)[0] ?? chain.firstSlot,
    minimumLedgerSlot: () => chain.firstSlot,
  };
}

function blockAnswer({ chain }: SolanaNode, block: Block, config: BlockConfig): object {
  const { ledger } = chain;
  const { slot } = block;
  const parent = slot === 0 ? null : ledger.atOrBefore(slot - 1);
  return {
    blockHeight: block.height,
    blockTime: secondsOf(block.timeMs),
    blockhash: addressOf(ledger.hashOf(slot)),
    parentSlot: parent?.slot ?? 0,
    previousBlockhash: addressOf(parent === null ? '00'.repeat(32) : ledger.hashOf(parent.slot)),
    ...((config?.rewards ?? true) && { rewards: [] }),
    ...transactionsAnswer(chain.transactions.inSlot(slot), config),
  };
}

function transactionsAnswer(
  transactions: ReturnType<SolanaNode['chain']['transactions']['inSlot']>,
  config: BlockConfig,
): object {
  const details = config?.transactionDetails ?? 'full';
  const maxVersion = config?.maxSupportedTransactionVersion ?? null;
  const encoding = config?.encoding ?? 'json';
  if (details === 'none') return {};
  if (details === 'signatures') return { signatures: transactions.map(({ signature }) => base58Of(signature)) };
  return {
    transactions: transactions.map((one) =>
      details === 'accounts' ? accountsAnswer(one, maxVersion) : transactionAnswer(one, { encoding, maxVersion }),
    ),
  };
}
