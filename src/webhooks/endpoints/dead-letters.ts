import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from '../../platform/database/database.js';

interface Counted {
  readonly endpoint_id: string;
  readonly count: string;
}

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
  const rows = await sql<Counted>(
    em,
    `select endpoint.id as endpoint_id, count(*)
       from unnest($1::text[]) as endpoint (id)
      cross join lateral (
        select from delivery d
         where d.endpoint_id = endpoint.id and d.status = 'dead_letter' and not d.superseded limit $2) counted
      group by endpoint.id`,
    [endpointIds, DEAD_LETTERS_SHOWN_MAX],
  );
  return new Map(rows.map((row) => [row.endpoint_id, Number(row.count)]));
}

/** Returns the same count for one endpoint. */
export async function deadLettersOf(em: EntityManager, endpointId: string): Promise<number> {
  return (await countDeadLetters(em, [endpointId])).get(endpointId) ?? 0;
}
