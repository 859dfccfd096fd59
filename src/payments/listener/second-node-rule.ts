/**
 * SQL: whether enough nodes reported a deposit of the chain `chainRef` for it to become final. `above` is the parameter
 * with the value in fiat minor units from which two nodes must have reported it; null where this is not required. The
 * rule sums what an intent holds without a second report, since one large payment can be reported as many small ones;
 * the value follows the locked quote. A deposit without an intent has no known value and is treated like the largest.
 * The sums do not depend on the row, so they are built once, from the waiting intents.
 */
export const hasNodesEnough = (chainRef: string, above: string): string => `
  (${above}::bigint is null or deposit.second_node_at is not null or coalesce(deposit.intent_id in (
     select quoted.id
       from (select distinct intent_id as id from deposit
              where chain_ref = ${chainRef} and status = 'seen' and intent_id is not null) waiting
       join payment_intent quoted on quoted.id = waiting.id
      cross join lateral (
              select sum(part.amount) as units from deposit part
               where part.intent_id = quoted.id and part.status <> 'orphaned' and part.second_node_at is null) unbacked
      where unbacked.units * quoted.amount_cents < ${above}::bigint * quoted.crypto_amount), false))`;
