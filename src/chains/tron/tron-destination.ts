import { addressFormOf } from '../../domain/address-form.js';
import { type ParsedDestination, refusedForm } from '../../domain/destination.js';
import type { Network } from '../../domain/network.js';
import { keyOfHash } from './tron-address.js';

/** Addresses without a key: the zero address, and the black hole of the main network, whose account burns fees. */
const WITHOUT_KEY: ReadonlySet<string> = new Set([keyOfHash('0'.repeat(40)), 'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy']);

/** Returns an address of tron that can receive a payment, as far as its text says. Its checksum finds typos. */
export function tronDestination(network: Network, text: string): ParsedDestination {
  if (addressFormOf(text).family !== 'tron') return refusedForm(network, text);
  if (WITHOUT_KEY.has(text)) {
    return { refusal: 'The destination has no private key: what it receives is lost.' };
  }
  return { shown: text, key: text };
}
