import type { EntityManager } from '@mikro-orm/postgresql';
import { checksumEvmAddress } from '../../domain/evm-address.js';
import { addressesBeginningLike, looksLike } from '../../domain/look-alike.js';
import { rows } from '../../platform/database/database.js';
import type { Withdrawal } from '../withdrawal.entity.js';
import { destinationsBetween } from './similar-destinations.sql.js';

/**
 * Returns the merchant's other destinations, with their checksums, that look like this one when the middle of an address
 * is not shown. One of the two may be a thief's.
 */
export async function similarDestinations(
  em: EntityManager,
  { merchantId, environment, destinationKey }: Pick<Withdrawal, 'merchantId' | 'environment' | 'destinationKey'>,
): Promise<string[]> {
  const range = addressesBeginningLike(destinationKey);
  const others = await rows(em, destinationsBetween({ merchantId, environment }, ...range));
  return others
    .filter((other) => looksLike(destinationKey, other.destinationKey))
    .map((other) => checksumEvmAddress(other.destinationKey));
}
