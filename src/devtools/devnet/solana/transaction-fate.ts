import { z } from 'zod';
import { isProvenDead } from '../../../chains/solana/death-proof.js';
import { SolanaRpc } from '../../../chains/solana/solana-rpc.js';
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
const STATUS = z.object({ slot: z.number(), err: z.unknown(), confirmationStatus: z.string().nullable() });
const STATUSES = z.object({ value: z.tuple([STATUS.nullable()]) });

/**
 * Returns what became of a transaction. It is dead only once final blocks prove that, as for a payment of the service: a
 * signature that the node does not find proves nothing.
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
  return (await isDead(url, txHash, validity)) ? 'dead' : 'absent';
}

async function isDead(url: string, txHash: string, { slot, blockhash, lastHeight }: SolanaValidity): Promise<boolean> {
  const rpc = new SolanaRpc(url, {});
  try {
    return await isProvenDead(rpc, {
      txHash,
      expiry: { after: { height: slot, hash: blockhash }, until: lastHeight + 1 },
    });
  } finally {
    await rpc.close();
  }
}
