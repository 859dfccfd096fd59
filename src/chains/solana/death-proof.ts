import type { z } from 'zod';
import type { BlockRef } from '../chain.js';
import type { LiveAttempt } from '../expiring.js';
import { signedBlockShape, slotsShape, statusesShape, validityShape } from './rpc-shapes.js';
import type { SolanaRpc } from './solana-rpc.js';

/** A transaction may be in blocks up to this many above the one that it names (Agave counts 150 from the block's parent). */
const LIFETIME_BLOCKS = 151;
/** From the block that is named to the first past expiry, with some more where the named one was dropped by a fork. */
const BLOCKS_MAX = 2 * LIFETIME_BLOCKS;
/** Blocks of one request: each has some 200 KB of signatures. */
const BLOCKS_PER_REQUEST = 32;

type SignedBlock = z.infer<typeof signedBlockShape> & { readonly slot: number };

/**
 * Whether final blocks prove that a transaction is in none of them and can be in no later one. They are read without a gap,
 * each the child of the one before, from the block that the transaction names, or from its slot if a fork dropped that
 * block, to the first in which its blockhash is too old by the block's own height: what a node once said about that is not
 * trusted. Anything that is missing, cut or contradictory is no proof, and neither is a block that is named and still valid.
 */
export async function isProvenDead(rpc: SolanaRpc, { txHash, expiry }: LiveAttempt): Promise<boolean> {
  const { after, until } = expiry;
  const history = { searchTransactionHistory: true };
  const { value: statuses } = await rpc.ask(statusesShape, 'getSignatureStatuses', [[txHash], history]);
  if (statuses.length !== 1 || statuses[0] !== null) return false;
  const params = [after.height, BLOCKS_MAX, { commitment: 'finalized' }];
  const slots = await rpc.ask(slotsShape, 'getBlocksWithLimit', params);
  // Too few for a proof: they need not be read.
  if (slots.length < LIFETIME_BLOCKS + 2) return false;
  let previous: SignedBlock | null = null;
  let expiresAt = until;
  for await (const block of blocksOf(rpc, slots)) {
    if (block === null || block.signatures.includes(txHash) || isNamedElsewhere(block, after)) return false;
    if (previous === null) {
      if (!isFirst(block, after)) return false;
      expiresAt = Math.max(until, block.blockHeight + LIFETIME_BLOCKS);
    } else if (!isChild(block, previous)) {
      return false;
    }
    if (block.blockHeight > expiresAt) return isForgotten(rpc, after.hash, block.slot);
    previous = block;
  }
  return false;
}

/**
 * Whether the blocks up to the newest, which is in this slot or later, accept no transaction that names the block any more. It
 * may be in a later slot than the one noted, where the node of the signature was wrong about that.
 */
async function isForgotten(rpc: SolanaRpc, blockhash: string, slot: number): Promise<boolean> {
  const params = [blockhash, { commitment: 'processed', minContextSlot: slot }];
  return !(await rpc.ask(validityShape, 'isBlockhashValid', params)).value;
}

/** Null for a block that the node does not have in a form that can be read. */
async function* blocksOf(rpc: SolanaRpc, slots: readonly number[]): AsyncGenerator<SignedBlock | null> {
  for (let start = 0; start < slots.length; start += BLOCKS_PER_REQUEST) {
    const chunk = slots.slice(start, start + BLOCKS_PER_REQUEST);
    const outcomes = await rpc.blocksAt(chunk, 'finalized', 'signatures');
    for (const [place, slot] of chunk.entries()) {
      const outcome = outcomes[place];
      const { data } = signedBlockShape.safeParse(outcome !== undefined && 'result' in outcome ? outcome.result : null);
      yield data === undefined ? null : { ...data, slot };
    }
  }
}

/** No final block is between the named slot and this one. */
const isFirst = ({ slot, parentSlot }: SignedBlock, after: BlockRef): boolean =>
  slot === after.height || (slot > after.height && parentSlot < after.height);

const isChild = (block: SignedBlock, parent: SignedBlock): boolean =>
  block.parentSlot === parent.slot &&
  block.previousBlockhash === parent.blockhash &&
  block.blockHeight === parent.blockHeight + 1;

/** The named block in another slot than the one noted: the slot is wrong, and with it where to start. */
const isNamedElsewhere = ({ slot, parentSlot, ...hashes }: SignedBlock, { height, hash }: BlockRef): boolean =>
  (hashes.blockhash === hash && slot !== height) || (hashes.previousBlockhash === hash && parentSlot !== height);
