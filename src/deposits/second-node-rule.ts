/**
 * SQL: whether a deposit may become final as far as a second node's word goes. `above` is the parameter with the value in
 * fiat minor units from which on two nodes must have reported it, null where that is not asked for. The value is by the
 * intent's locked quote; what belongs to no intent has no known value, so it is treated like the greatest.
 */
export const hasNodesEnough = (above: string): string => `
  (${above}::bigint is null or deposit.second_node_at is not null or exists (
     select from payment_intent quoted
      where quoted.id = deposit.intent_id
        and deposit.amount * quoted.amount_cents < ${above}::bigint * quoted.crypto_amount))`;
