import { AuditEntry } from '../../platform/audit-entry.entity.js';
import { as } from '../../platform/sql/as.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { VaultAudit } from '../vault-audit.entity.js';
import { ChainTransaction } from './chain-transaction.entity.js';
import { isNeverMined } from './never-mined.sql.js';
import { TransactionAttempt } from './transaction-attempt.entity.js';
import type { PaymentPurpose, TransactionPurpose } from './transaction-order.js';

const transaction = table(ChainTransaction);
const attempt = table(TransactionAttempt);
const audit = table(VaultAudit);
const action = table(AuditEntry);

/** Finds the transaction of an order: the newest, where an earlier one was superseded. */
export const findTransactionOf = (purpose: PaymentPurpose, purposeId: string) => sql`
  select ${out(
    transaction,
    'id',
    'chainRef',
    'sender',
    'nonce',
    'status',
    'gasLimit',
    'broadcastAt',
    'replaceWantedAt',
    'minedHash',
    'minedHeight',
    'feePaid',
  )}, ${transaction.createdAt.as('signedAt')}
    from ${transaction} where ${transaction.purpose} = ${purpose} and ${transaction.purposeId} = ${purposeId}
   order by ${isNeverMined(transaction)}, ${transaction.createdAt} desc limit 1`;

/** Reads the signed versions of a transaction in their order. */
export const attemptsOf = (transactionId: string) => sql`
  select ${out(attempt, 'number', 'txHash', 'maxFeePerGas', 'maxPriorityFeePerGas', 'signedAt')}
    from ${attempt} where ${attempt.transactionId} = ${transactionId} order by ${attempt.number}`;

/**
 * Reads the verdicts of the vault on an order, and the actions of operators on it or on its subjects, by time. An adoption
 * is shown by its audit entry. The subjects are one array: with an "or", every action of the log would be read.
 */
export const findVerdicts = (purpose: TransactionPurpose, purposeId: string, subjects: readonly string[]) => sql`
  select ${audit.createdAt.as('at')}, 'vault' ${as.text('who')},
         case ${audit.verdict} when 'signed' then 'signed attempt ' || ${audit.attempt} else ${audit.verdict} end ${as.text('what')},
         coalesce(${audit.reason}, ${audit.txHash}) ${as.textOrNull('reason')}
    from ${audit} where ${audit.purpose} = ${purpose} and ${audit.purposeId} = ${purposeId} and ${audit.verdict} <> 'adopted'
   union all
  select ${action.createdAt}, ${action.actor}, ${action.action}, ${action.reason} from ${action}
   where ${action.subject} = any(${subjects}::text[] || array(
     select ${transaction.id} from ${transaction}
      where ${transaction.purpose} = ${purpose} and ${transaction.purposeId} = ${purposeId}))
   order by at`;
