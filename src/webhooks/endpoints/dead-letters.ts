import type { EntityManager } from '@mikro-orm/postgresql';
import { rows } from '../../platform/database/database.js';
import { countDeadLettersOf } from './webhook-endpoints.sql.js';

/** The count stops here, because every read of an endpoint counts, also while its row is locked. */
export const DEAD_LETTERS_SHOWN_MAX = 10_000;

/**
 * Returns, by endpoint, the number of dead letters that no later series has superseded, up to the maximum. Endpoints
 * without dead letters are not in the map.
 */
export async function countDeadLetters(
  em: EntityManager,
  endpointIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const counted = await rows(em, countDeadLettersOf(endpointIds, DEAD_LETTERS_SHOWN_MAX));
  return new Map(counted.map(({ endpointId, count }) => [endpointId, Number(count)]));
}

/** Returns the same count for one endpoint. */
export async function deadLettersOf(em: EntityManager, endpointId: string): Promise<number> {
  return (await countDeadLetters(em, [endpointId])).get(endpointId) ?? 0;
}
