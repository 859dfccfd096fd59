import { DomainError } from '../../domain/errors.js';
import { type EvmAddress, isSystemAddress, parseEvmAddress } from '../../domain/evm-address.js';
import { addressFamilyOf, type Network } from '../../domain/network.js';
import { type Tx, sql } from '../../platform/database/database.js';

/** The destination in its two spellings; null unless it is an address that money may be sent to on this network. */
export async function payableDestination(tx: Tx, network: Network, text: string): Promise<EvmAddress | null> {
  const address = addressFamilyOf(network) === 'evm' ? parseEvmAddress(text) : null;
  if (address === null || isSystemAddress(address)) return null;
  // A token contract keeps what it is sent for ever, and to our own hot wallet nothing would be paid.
  const refused = await sql(
    tx,
    `select from chain_token where contract = $1 union all select from hot_wallet where address_key = $1 limit 1`,
    [address.lower],
  );
  return refused.length > 0 ? null : address;
}

/** What is answered where `payableDestination` gives nothing. */
export function notPayable(network: Network): DomainError {
  return new DomainError(
    'address_network_mismatch',
    `The destination is not an address of the network ${network} that can be paid.`,
    { param: 'destination' },
  );
}

/** What is answered for a destination on the sanctions list. */
export function blockedDestination(): DomainError {
  return new DomainError('address_blocked', 'The destination is on a sanctions list.', { param: 'destination' });
}
