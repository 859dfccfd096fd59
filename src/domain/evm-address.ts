import { randomBytes } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';

/** One address in its two spellings: `checksummed` (EIP-55) to show, `lower` to store and compare. */
export interface EvmAddress {
  readonly checksummed: string;
  readonly lower: string;
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const ZERO = `0x${'0'.repeat(40)}`;

/** The spelling in which addresses, contracts and hashes of EVM networks are stored and compared. */
export const evmKey = (text: string): string => text.toLowerCase();

/** The EIP-55 spelling of a lower-case address: a letter is a capital where the hash of the text has a nibble above 7. */
export function checksumEvmAddress(lower: string): string {
  const digits = lower.slice(2);
  const hash = Buffer.from(keccak_256(Buffer.from(digits, 'ascii'))).toString('hex');
  return `0x${Array.from(digits, (digit, i) => (hash.charAt(i) > '7' ? digit.toUpperCase() : digit)).join('')}`;
}

/** Returns an address without a known key, in EIP-55 spelling. */
export const randomEvmAddress = (): string => checksumEvmAddress(`0x${randomBytes(20).toString('hex')}`);

/** Chains reserve the addresses below 2^16 for precompiles and system contracts. A payment to them cannot be recovered. */
const SYSTEM_ADDRESSES_END = 0x1_0000n;

/** Whether an address is reserved for a precompile or a system contract, existing or future. */
export const isSystemAddress = ({ lower }: EvmAddress): boolean => BigInt(lower) < SYSTEM_ADDRESSES_END;

/**
 * Parses an EVM address strictly: `0x` and 40 hex digits, in one case or with a correct EIP-55 checksum, and not the zero
 * address. Returns null for everything else, such as ICAP, ENS names and a missing `0x`.
 */
export function parseEvmAddress(text: string): EvmAddress | null {
  if (!ADDRESS.test(text)) return null;
  const lower = evmKey(text);
  if (lower === ZERO) return null;
  const checksummed = checksumEvmAddress(lower);
  const digits = text.slice(2);
  const mixedCase = digits !== evmKey(digits) && digits !== digits.toUpperCase();
  return mixedCase && text !== checksummed ? null : { checksummed, lower };
}
