import type { ParsedDestination } from '../../domain/destination.js';
import { refusedForm } from '../../domain/destination.js';
import { isSystemAddress, parseEvmAddress } from '../../domain/evm-address.js';
import type { Network } from '../../domain/network.js';

/** Returns an address of an EVM network that can receive a payment, as far as its text says. */
export function evmDestination(network: Network, text: string): ParsedDestination {
  const address = parseEvmAddress(text);
  if (address === null) return refusedForm(network, text);
  if (isSystemAddress(address)) {
    return { refusal: `The destination is reserved for a contract of ${network} itself: the payment would be lost.` };
  }
  return { shown: address.checksummed, key: address.lower };
}
