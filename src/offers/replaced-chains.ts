import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from '../platform/database/database.js';
import { OPEN_STATUSES } from '../domain/intent-state.js';
import { textList } from '../platform/database/text-list.js';

/** Each batch is a short transaction: a settlement waits for it no longer than for another settlement. */
const BATCH = 1_000;

/**
 * SQL: pairs of a replaced development chain (`replaced`) and the active one that took its place (`successor`). Its
 * node was killed and started again with another genesis; on any other chain that is refused.
 */
export const SUCCESSIONS = `
  chain replaced join chain successor using (environment, network, chain_id)
  where replaced.environment = 'sandbox' and not replaced.active and successor.active`;

/** SQL: the open sandbox intents of a chain, by the expression of the index payment_intent_of_chain: no other serves it. */
const openOn = (chainRef: string): string => `
  (case when intent.environment = 'sandbox' and intent.status in ${textList(OPEN_STATUSES)}
        then intent.chain_ref end) = ${chainRef}`;

/** Replaced chains that still have open intents, with their successors. */
export const LEFT_BEHIND_STATEMENT = `
  select replaced.id as replaced, successor.id as successor from ${SUCCESSIONS}
     and (select count(*) from payment_intent intent where ${openOn('replaced.id')}) > 0`;

/** Moves a batch ($3) from a chain ($1) to its successor ($2). Intents that are being settled follow in a later run. */
export const MOVE_BATCH_STATEMENT = `
  update payment_intent set chain_ref = $2
   where id in (
     select intent.id from payment_intent intent
       join chain_token token on token.chain_ref = $2 and token.enabled
         and (token.contract, token.decimals) = (intent.token_contract, intent.token_decimals)
      where ${openOn('$1')} order by intent.created_at limit $3 for no key update of intent skip locked)
  returning id`;

/**
 * Moves open intents from replaced development chains to their successors. The same addresses are watched there, and
 * the test tokens have the same contracts. An intent whose token the successor does not offer stays, and expires.
 */
export async function moveOpenIntents(em: EntityManager): Promise<void> {
  for (const { replaced, successor } of await sql<{ replaced: string; successor: string }>(em, LEFT_BEHIND_STATEMENT)) {
    let moved: number;
    do {
      moved = (await sql(em, MOVE_BATCH_STATEMENT, [replaced, successor, BATCH])).length;
    } while (moved === BATCH);
  }
}
