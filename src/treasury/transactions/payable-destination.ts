import { DomainError } from '../../domain/errors.js';
import { type EvmAddress, isSystemAddress, parseEvmAddress } from '../../domain/evm-address.js';
import { addressFamilyOf, type Network } from '../../domain/network.js';
import { rows, type Tx } from '../../platform/database/database.js';
import { findUnpayable } from './payable-destination.sql.js';

/** Returns the destination in its two spellings; null unless it is an address of this network that can be paid. */
export async function payableDestination(tx: Tx, network: Network, text: string): Promise<EvmAddress | null> {
  const address = addressFamilyOf(network) === 'evm' ? parseEvmAddress(text) : null;
  if (address === null || isSystemAddress(address)) return null;
  const refused = await rows(tx, findUnpayable(address.lower));
  return refused.length > 0 ? null : address;
}

/** The error for a destination that `payableDestination` refuses. */
export function notPayable(network: Network): DomainError {
  return new DomainError(
    'address_network_mismatch',
    `The destination is not an address of the network ${network} that can be paid.`,
    { param: 'destination' },
  );
}

/** The error for a destination on the sanctions list. */
export function blockedDestination(): DomainError {
  return new DomainError('address_blocked', 'The destination is on a sanctions list.', { param: 'destination' });
}
