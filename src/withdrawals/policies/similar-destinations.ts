import type { EntityManager } from '@mikro-orm/postgresql';
import { shownAddress } from '../../domain/address-form.js';
import { addressesBeginningLike, looksLike } from '../../domain/look-alike.js';
import { addressFamilyOf } from '../../domain/network.js';
import { rows } from '../../platform/database/database.js';
import type { Withdrawal } from '../withdrawal.entity.js';
import { destinationsBetween } from './similar-destinations.sql.js';

/**
 * Returns the merchant's other destinations, as they are shown, that look like this one when the middle of an address is
 * not shown. One of the two may be a thief's.
 */
export async function similarDestinations(
  em: EntityManager,
  withdrawal: Pick<Withdrawal, 'merchantId' | 'environment' | 'network' | 'destinationKey'>,
): Promise<string[]> {
  const { merchantId, environment, network, destinationKey } = withdrawal;
  const family = addressFamilyOf(network);
  const range = addressesBeginningLike(family, destinationKey);
  const others = await rows(em, destinationsBetween({ merchantId, environment }, ...range));
  return others
    .filter((other) => looksLike(family, destinationKey, other.destinationKey))
    .map((other) => shownAddress(other.destinationKey));
}
