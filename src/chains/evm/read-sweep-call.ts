import { keccak_256 } from '@noble/hashes/sha3.js';
import { NATIVE_COIN } from '../../domain/network.js';
import type { SweepItem } from './sweep-call.js';

const SELECTOR = Buffer.from(keccak_256(Buffer.from('sweep((address,address)[],uint256)')))
  .toString('hex')
  .slice(0, 8);
const WORD = 64;
/** Words before the items: the offset of the list, the gas of an item, and the number of items. */
const HEAD_WORDS = 3;
const LIST_OFFSET = 0x40n;
const ADDRESS = /^0{24}([0-9a-f]{40})$/;
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;

/**
 * Returns the items of a batch call, in lower case; null when it is not exactly such a call. It decodes the bytes word
 * by word and shares no code with the library that encoded them.
 */
export function readSweepCall(data: string): readonly SweepItem[] | null {
  if (!data.startsWith(`0x${SELECTOR}`)) return null;
  const words = data.slice(2 + SELECTOR.length).match(/[0-9a-f]{64}/g) ?? [];
  if (words.length * WORD !== data.length - 2 - SELECTOR.length || words.length < HEAD_WORDS) return null;
  const [offset, , count] = words.map((word) => BigInt(`0x${word}`));
  const addresses = words.slice(HEAD_WORDS).map((word) => ADDRESS.exec(word)?.[1]);
  if (offset !== LIST_OFFSET || BigInt(addresses.length) !== 2n * (count ?? 0n)) return null;
  const items: SweepItem[] = [];
  for (let place = 0; place < addresses.length; place += 2) {
    const [deposit, token] = [addresses[place], addresses[place + 1]];
    if (deposit === undefined || token === undefined) return null;
    const contract = `0x${token}`;
    items.push({ deposit: `0x${deposit}`, tokenContract: contract === ZERO_ADDRESS ? NATIVE_COIN : contract });
  }
  return items;
}
