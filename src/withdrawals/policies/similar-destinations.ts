import type { EntityManager } from '@mikro-orm/postgresql';
import { checksumEvmAddress } from '../../domain/evm-address.js';
import { addressesBeginningLike, looksLike } from '../../domain/look-alike.js';
import { sql } from '../../platform/database/database.js';
import type { Withdrawal } from '../withdrawal.entity.js';

/** Destinations that a merchant ordered withdrawals to, or allowed, between the addresses $3 and $4. */
export const SIMILAR_STATEMENT = `
  select destination_key from withdrawal
   where merchant_id = $1 and environment = $2 and destination_key between $3 and $4
  union
  select destination_key from allowed_destination
   where merchant_id = $1 and environment = $2 and destination_key between $3 and $4
   order by destination_key`;

/**
 * Returns the merchant's other destinations, with their checksums, that look like this one when the middle of an address
 * is not shown. One of the two may be a thief's.
 */
export async function similarDestinations(
  em: EntityManager,
  { merchantId, environment, destinationKey }: Pick<Withdrawal, 'merchantId' | 'environment' | 'destinationKey'>,
): Promise<string[]> {
  const range = addressesBeginningLike(destinationKey);
  const rows = await sql<{ destination_key: string }>(em, SIMILAR_STATEMENT, [merchantId, environment, ...range]);
  return rows
    .filter(({ destination_key: other }) => looksLike(destinationKey, other))
    .map(({ destination_key: other }) => checksumEvmAddress(other));
}
