import { type Check, statementCheck } from '../check.js';

/**
 * Returns the rule that an order is under way exactly as long as its transaction. Superseded transactions do not count:
 * their order waits unsigned, or was cancelled. An order that an older version ended with its superseded transaction is
 * failed and signed.
 */
export function endsWithTransaction(purpose: 'withdrawal' | 'deposit_return', name: string, rule: string): Check {
  return statementCheck(
    name,
    rule,
    `select '${purpose} ' || ordered.id as row,
            format('is %s and %s, and its transaction is %s', ordered.status,
                   case when ordered.signed_at is null then 'unsigned' else 'signed' end,
                   coalesce(sent.status, dead.status, 'not there')) as says
       from ${purpose} ordered
       left join chain_transaction sent
         on sent.purpose = '${purpose}' and sent.purpose_id = ordered.id and sent.status <> 'superseded'
       left join (select distinct purpose_id, status from chain_transaction
                   where purpose = '${purpose}' and status = 'superseded') dead on dead.purpose_id = ordered.id
      where case when sent.id is not null
                 then ordered.signed_at is null or (sent.status = 'signed') <> (ordered.status = 'broadcasting')
                 else ordered.signed_at is not null and (dead.status is null or ordered.status <> 'failed') end
      order by ordered.id`,
  );
}
