import type { EntityManager } from '@mikro-orm/postgresql';
import { DomainError } from '../../domain/errors.js';
import { type EvmAddress, isSystemAddress, parseEvmAddress } from '../../domain/evm-address.js';
import { addressFamilyOf, type Network } from '../../domain/network.js';
import { row } from '../../platform/database/database.js';
import { noSanctionsList } from '../../sanctions/sanctions-list.service.js';
import { screenDestination } from './payable-destination.sql.js';

/**
 * Returns the destination in its two spellings, or the error for one that is not paid: no address of this network, one that
 * belongs to a token or to us, or one on the current sanctions list. Joins the caller's transaction.
 * @throws DomainError `service_unavailable` when there is no list
 */
export async function payableDestination(
  em: EntityManager,
  network: Network,
  text: string,
): Promise<EvmAddress | DomainError> {
  const family = addressFamilyOf(network);
  const address = family === 'evm' ? parseEvmAddress(text) : null;
  if (address === null || isSystemAddress(address)) return notPayable(network);
  const { isRefused, hasList, isListed } = await row(em, screenDestination(family, address.lower));
  if (isRefused) return notPayable(network);
  if (!hasList) throw noSanctionsList();
  return isListed ? blocked() : address;
}

function notPayable(network: Network): DomainError {
  return new DomainError(
    'address_network_mismatch',
    `The destination is not an address of the network ${network} that can be paid.`,
    { param: 'destination' },
  );
}

function blocked(): DomainError {
  return new DomainError('address_blocked', 'The destination is on a sanctions list.', { param: 'destination' });
}
