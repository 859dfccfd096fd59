import { addressFormOf } from '../../domain/address-form.js';
import { type ParsedDestination, refusedForm } from '../../domain/destination.js';
import type { Network } from '../../domain/network.js';
import { hashOfKey } from './tron-address.js';

/** Base58 with a version of 0x41 begins with T; the whole has 25 bytes. */
const SHOWN = /^T[1-9A-HJ-NP-Za-km-z]{33}$/;
/** As the HTTP interface of nodes writes addresses: without a checksum. */
const HEX = /^41[0-9a-fA-F]{40}$/;
/** The zero address, to which tokens are burned, and the precompiled contracts, the last known of which is 0x1000015. */
const RESERVED_END = 0x1_0000_0000n;
/** Takes what the network burns: account `Blackhole` in the genesis block of java-tron's config.conf. */
const BLACK_HOLE = 'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy';

/** Returns an address of tron that can receive a payment, as far as its text says. */
export function tronDestination(network: Network, text: string): ParsedDestination {
  if (HEX.test(text)) {
    return {
      refusal: 'The destination is an address of tron in hexadecimal form, which has no checksum. State it as T....',
    };
  }
  if (!SHOWN.test(text) || addressFormOf(text).family !== 'tron') return refusedForm(network, text);
  if (text === BLACK_HOLE || BigInt(`0x${hashOfKey(text)}`) < RESERVED_END) {
    return { refusal: 'The destination is an address of tron without a key: the payment would be lost.' };
  }
  return { shown: text, key: text };
}
