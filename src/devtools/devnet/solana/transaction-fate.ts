import { z } from 'zod';
import { askChain } from '../dev-rpc.js';

/** The blocks that can have a transaction. */
export interface SolanaValidity {
  /** Of the block that the transaction names. */
  readonly slot: number;
  readonly blockhash: string;
  /** A block of this height can have the transaction, and the next one (Agave `is_hash_index_valid`). */
  readonly lastHeight: number;
}

/**
 * `absent`: no block has it yet, as far as is known. `dead`: no block can ever have it. Otherwise its slot, whether that is
 * final, and whether the transaction succeeded.
 */
export type SolanaFate =
  'absent' | 'dead' | { readonly slot: number; readonly isFinal: boolean; readonly succeeded: boolean };

const FINALIZED = { commitment: 'finalized' };
/** One more than the blocks that can have a transaction, from the one that it names. */
const BLOCKS_MAX = 153;

const STATUS = z.object({ slot: z.number(), err: z.unknown(), confirmationStatus: z.string().nullable() });
const STATUSES = z.object({ value: z.tuple([STATUS.nullable()]) });
const SLOTS = z.array(z.number());
const BLOCK = z.object({
  blockhash: z.string(),
  previousBlockhash: z.string(),
  parentSlot: z.number(),
  blockHeight: z.number(),
  signatures: z.array(z.string()),
});
type Block = z.infer<typeof BLOCK>;

/**
 * Returns what became of a transaction. It is dead only once every final block that could have it was read, each linked to
 * the one before by its hash: a signature that the node does not find proves nothing.
 */
export async function solanaFate(url: string, txHash: string, validity: SolanaValidity): Promise<SolanaFate> {
  const { value } = await askChain(url, STATUSES, 'getSignatureStatuses', [txHash], { searchTransactionHistory: true });
  const [status] = value;
  if (status !== null) {
    const { slot, err, confirmationStatus } = status;
    return { slot, isFinal: confirmationStatus === 'finalized', succeeded: err === null };
  }
  const finalHeight = await askChain(url, z.number(), 'getBlockHeight', FINALIZED);
  if (finalHeight <= validity.lastHeight) return 'absent';
  return (await isInNoBlock(url, txHash, validity)) ? 'dead' : 'absent';
}

async function isInNoBlock(
  url: string,
  txHash: string,
  { slot, blockhash, lastHeight }: SolanaValidity,
): Promise<boolean> {
  const slots = await askChain(url, SLOTS, 'getBlocksWithLimit', slot, BLOCKS_MAX, FINALIZED);
  let before: Block | null = null;
  for (const next of slots) {
    const block: Block = await finalBlock(url, next);
    if (before === null) {
      // The named block was dropped: no block of the final chain accepts its hash.
      if (next === slot ? block.blockhash !== blockhash : block.parentSlot < slot) return true;
      if (next !== slot) return false;
    } else if (block.previousBlockhash !== before.blockhash) return false;
    if (block.signatures.includes(txHash)) return false;
    if (block.blockHeight > lastHeight) return true;
    before = block;
  }
  return false;
}

function finalBlock(url: string, slot: number): Promise<Block> {
  const config = {
    ...FINALIZED,
    transactionDetails: 'signatures',
    rewards: false,
    maxSupportedTransactionVersion: 1,
  };
  return askChain(url, BLOCK, 'getBlock', slot, config);
}
