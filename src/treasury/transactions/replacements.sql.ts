import { flooredNow } from '../../platform/sql/floored-now.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { sql } from '../../platform/sql/sql.js';
import { out, set, table } from '../../platform/sql/table.js';
import { VaultAudit } from '../vault-audit.entity.js';
import { ChainTransaction } from './chain-transaction.entity.js';
import { TransactionAttempt } from './transaction-attempt.entity.js';

const transaction = table(ChainTransaction);
const attempt = table(TransactionAttempt);
const audit = table(VaultAudit);

/** Locks a transaction if its replacement is wanted. */
export const lockWanted = (id: string) => sql`
  select from ${transaction}
   where ${transaction.id} = ${id} and ${transaction.status} = 'signed' and ${transaction.replaceWantedAt} is not null
     for no key update`;

/** Reads a transaction with its newest attempt. */
export const findWithNewestAttempt = (id: string) => sql`
  select ${out(
    transaction,
    'id',
    'chainRef',
    'purpose',
    'purposeId',
    'nonce',
    'destination',
    'value',
    'data',
    'gasLimit',
  )}, ${out(attempt, 'number', 'maxFeePerGas', 'maxPriorityFeePerGas')}
    from ${transaction} join ${attempt} on ${attempt.transactionId} = ${transaction.id}
   where ${transaction.id} = ${id} order by ${attempt.number} desc limit 1`;

/** Records that a replacement is signed and due to be sent. */
export const endWanted = (id: string) => sql`
  update ${transaction}
     set ${set(transaction, { replaceWantedAt: null, dueAt: flooredNow })}
   where ${transaction.id} = ${id}`;

const newestVerdict = sql`
  select ${out(audit, 'verdict', 'reason')} from ${audit}
   where ${audit.purpose} = ${transaction.purpose} and ${audit.purposeId} = ${transaction.purposeId}
   order by ${audit.id} desc limit 1`;
const newest = subselect('newest', newestVerdict);

/** Finds the newest verdict on the order of a transaction. */
export const findNewestVerdict = (transactionId: string) => sql`
  select ${newest.verdict.as('verdict')}, ${newest.reason.as('reason')}
    from ${transaction} cross join lateral ${define(newest)} where ${transaction.id} = ${transactionId}`;

/** Finds every transaction whose replacement is wanted and was refused by the newest verdict. */
export const findRefusedReplacements = sql`
  select ${out(transaction, 'id', 'chainRef', 'nonce')}, ${newest.reason.asNotNull('reason')}
    from ${transaction} cross join lateral ${define(newest)}
   where ${transaction.status} = 'signed' and ${transaction.replaceWantedAt} is not null and ${newest.verdict} = 'refused'
   order by ${transaction.chainRef}, ${transaction.nonce}`;
