/**
 * SQL: whether a deposit of the chain `chainRef` may become final as far as a second node's word goes. `above` is the
 * parameter with the value in fiat minor units from which on two nodes must have reported it, null where that is not
 * asked for. What counts is all that an intent holds without such a word, since one large payment can be told as many
 * small ones; its value is by the locked quote. What belongs to no intent has no known value, so it is treated like the
 * greatest. The sums do not depend on the row, so they are built once, from the intents that wait.
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
