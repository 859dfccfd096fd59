import { Chain } from '../../offers/chain.entity.js';
import { AuditEntry } from '../../platform/audit-entry.entity.js';
import { as } from '../../platform/sql/as.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { sql } from '../../platform/sql/sql.js';
import { table } from '../../platform/sql/table.js';
import { ChainTransaction } from '../../treasury/transactions/chain-transaction.entity.js';
import { TransactionAttempt } from '../../treasury/transactions/transaction-attempt.entity.js';
import { VaultAudit } from '../../treasury/vault-audit.entity.js';
import { type Check, statementCheck } from '../check.js';
import { endsWithTransaction } from './ends-with-transaction.sql.js';

const dead = table(ChainTransaction, 'dead');
const rival = table(ChainTransaction, 'rival');
const verdict = table(VaultAudit, 'verdict');
const own = table(TransactionAttempt, 'own');
const same = table(TransactionAttempt, 'same');
const audit = table(AuditEntry);
const chain = table(Chain);

/** Selects the transaction that replaced a superseded one: an operator adopted it from the chain. */
const adopted = sql`
  select from ${rival}
    join ${verdict} on ${verdict.transactionId} = ${rival.id} and ${verdict.verdict} = 'adopted'
   where (${rival.chainRef}, ${rival.sender}, ${rival.nonce}) = (${dead.chainRef}, ${dead.sender}, ${dead.nonce})
     and ${rival.status} <> 'superseded'
     and not exists (select from ${own} join ${same} on ${same.txHash} = ${own.txHash}
                      where ${own.transactionId} = ${dead.id} and ${same.transactionId} = ${rival.id})`;

const ordered = subselect(
  'ordered',
  sql`select count(*) ${as.digits('times')} from ${audit}
       where ${audit.subject} = ${dead.id} and ${audit.action} = 'transaction.supersede'`,
);

/**
 * Checks of transactions that can never be mined, so that their orders were freed or refunded. If one were mined, the same
 * money would leave twice.
 */
export const GIVEN_UP_CHECKS: readonly Check[] = [
  statementCheck(
    'superseded_gave_way',
    'Staff superseded the transaction, for one with its nonce that they adopted from the chain.',
    sql`
      select 'chain_transaction ' || ${dead.id} ${as.text('row')},
             case when ${ordered.times} = 1 then 'is superseded, and nothing that was taken in has its nonce'
                  else format('is superseded, and staff ended it %s times', ${ordered.times}) end ${as.text('says')}
        from ${dead}
       cross join lateral ${define(ordered)}
       where ${dead.status} = 'superseded' and (${ordered.times} <> 1 or not exists (${adopted}))
       order by ${dead.id}`,
  ),
  statementCheck(
    'abandoned_chains_are_gone',
    'A transaction is abandoned only with its chain, which is not used again.',
    sql`
      select 'chain_transaction ' || ${dead.id} ${as.text('row')}, 'is given up, and its chain is in use' ${as.text('says')}
        from ${dead} join ${chain} on ${chain.id} = ${dead.chainRef}
       where ${dead.status} = 'abandoned' and ${chain.active} order by ${dead.id}`,
  ),
  endsWithTransaction(
    'withdrawal',
    'withdrawals_end_with_their_transactions',
    'A withdrawal is pending as long as its transaction; one whose transaction was superseded is unsigned, or has failed.',
  ),
];
