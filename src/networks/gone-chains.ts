import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from '../platform/database/database.js';

/**
 * SQL: pairs of a development chain that is gone (`gone`) and the active one that took its place (`successor`). Its node
 * was killed and started again with another genesis; on any other chain that is refused.
 */
export const SUCCESSIONS = `
  chain gone join chain successor using (environment, network, chain_id)
  where gone.environment = 'sandbox' and not gone.active and successor.active`;

/**
 * Moves open intents from development chains that are gone to their successors. The same address is watched there, and
 * the test tokens have the same contracts. An intent whose token the successor does not offer stays, and expires.
 */
export async function moveOpenIntents(em: EntityManager): Promise<void> {
  const gone = await sql<{ id: string }>(em, `select gone.id from ${SUCCESSIONS}`);
  if (gone.length === 0) return;
  await sql(
    em,
    `update payment_intent intent set chain_ref = succession.successor
       from (select gone.id as gone, successor.id as successor from ${SUCCESSIONS}) succession
       join chain_token token on token.chain_ref = succession.successor and token.enabled
      where intent.chain_ref = succession.gone and intent.status in ('created', 'requires_action', 'processing')
        and (token.contract, token.decimals) = (intent.token_contract, intent.token_decimals)`,
  );
}
