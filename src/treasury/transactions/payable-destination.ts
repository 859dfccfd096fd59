import type { EntityManager } from '@mikro-orm/postgresql';
import { parseAnyDestination, parseDestination } from '../../chains/destinations.js';
import type { Destination, ParsedDestination } from '../../domain/destination.js';
import { DomainError } from '../../domain/errors.js';
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
): Promise<Destination | DomainError> {
  const parsed = parseDestination(network, text);
  if ('refusal' in parsed) return notPayable(parsed.refusal);
  const { isRefused, hasList, isListed } = await row(em, screenDestination(addressFamilyOf(network), parsed.key));
  if (isRefused) return notPayable(`The destination is a token of ${network}, or a wallet of this service.`);
  if (!hasList) throw noSanctionsList();
  if (isListed) return blocked();
  return parsed;
}

/** Returns an address for a list that names no network, such as an allow-list, judged by its text alone. */
export const destinationOnAnyNetwork = (text: string): ParsedDestination => parseAnyDestination(text);

function notPayable(message: string): DomainError {
  return new DomainError('address_network_mismatch', message, { param: 'destination' });
}

function blocked(): DomainError {
  return new DomainError('address_blocked', 'The destination is on a sanctions list.', { param: 'destination' });
}
