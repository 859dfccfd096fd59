import { type Check, statementCheck } from '../check.js';
import { endsWithTransaction } from './ends-with-transaction.js';

/** SQL: the transaction that replaced a superseded one: an operator adopted it from the chain. */
const ADOPTED = `
  select from chain_transaction rival
    join vault_audit verdict on verdict.transaction_id = rival.id and verdict.verdict = 'adopted'
   where (rival.chain_ref, rival.sender, rival.nonce) = (dead.chain_ref, dead.sender, dead.nonce)
     and rival.status <> 'superseded'
     and not exists (select from transaction_attempt own join transaction_attempt same on same.tx_hash = own.tx_hash
                      where own.transaction_id = dead.id and same.transaction_id = rival.id)`;

/**
 * Checks of transactions that can never be mined, so that their orders were freed or refunded. If one were mined, the same
 * money would leave twice.
 */
export const GIVEN_UP_CHECKS: readonly Check[] = [
  statementCheck(
    'superseded_gave_way',
    'Staff superseded the transaction, for one with its nonce that they adopted from the chain.',
    `select 'chain_transaction ' || dead.id as row,
            case when ordered.times = 1 then 'is superseded, and nothing that was taken in has its nonce'
                 else format('is superseded, and staff ended it %s times', ordered.times) end as says
       from chain_transaction dead
      cross join lateral (select count(*) as times from audit_entry
                           where subject = dead.id and action = 'transaction.supersede') ordered
      where dead.status = 'superseded' and (ordered.times <> 1 or not exists (${ADOPTED}))
      order by dead.id`,
  ),
  statementCheck(
    'abandoned_chains_are_gone',
    'A transaction is abandoned only with its chain, which is not used again.',
    `select 'chain_transaction ' || dead.id as row, 'is given up, and its chain is in use' as says
       from chain_transaction dead join chain on chain.id = dead.chain_ref
      where dead.status = 'abandoned' and chain.active order by dead.id`,
  ),
  endsWithTransaction(
    'withdrawal',
    'withdrawals_end_with_their_transactions',
    'A withdrawal is pending as long as its transaction; one whose transaction was superseded is unsigned, or has failed.',
  ),
];
