import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from '../platform/database/database.js';

interface Counted {
  readonly endpoint_id: string;
  readonly count: string;
}

/** Endpoint -> how many of its deliveries are dead letters that no later series has superseded; none: not in the map. */
export async function countDeadLetters(
  em: EntityManager,
  endpointIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<Counted>(
    em,
    `select endpoint_id, count(*) from delivery
      where endpoint_id = any($1) and status = 'dead_letter' and not superseded group by endpoint_id`,
    [endpointIds],
  );
  return new Map(rows.map((row) => [row.endpoint_id, Number(row.count)]));
}

/** The same of one endpoint. */
export async function deadLettersOf(em: EntityManager, endpointId: string): Promise<number> {
  return (await countDeadLetters(em, [endpointId])).get(endpointId) ?? 0;
}
