import { keccak_256 } from '@noble/hashes/sha3.js';

const BITS = 2048;
const BITS_PER_ITEM = 3;

/**
 * Returns whether a block may have a log of one of `contracts` with `topic`, by its bloom (256 bytes as hex, 0x first).
 * False is certain; true may be a false positive, more likely the fuller the block.
 */
export function mayHold(logsBloom: string, contracts: readonly string[], topic: string): boolean {
  const bloom = BigInt(logsBloom);
  return isIn(bloom, topic) && contracts.some((contract) => isIn(bloom, contract));
}

/** Each item sets three bits: the first three pairs of bytes of its hash, each modulo 2048 (Yellow Paper 4.3.1). */
function isIn(bloom: bigint, item: string): boolean {
  const hash = keccak_256(Buffer.from(item.slice(2), 'hex'));
  for (let pair = 0; pair < BITS_PER_ITEM; pair++) {
    const bit = (((hash[2 * pair] ?? 0) << 8) | (hash[2 * pair + 1] ?? 0)) % BITS;
    if (((bloom >> BigInt(bit)) & 1n) === 0n) return false;
  }
  return true;
}
