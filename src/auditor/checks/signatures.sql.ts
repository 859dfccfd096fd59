import { Chain } from '../../offers/chain.entity.js';
import { AuditEntry } from '../../platform/audit-entry.entity.js';
import { as } from '../../platform/sql/as.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { ChainTransaction } from '../../treasury/transactions/chain-transaction.entity.js';
import { TransactionAttempt } from '../../treasury/transactions/transaction-attempt.entity.js';
import { VaultAudit } from '../../treasury/vault-audit.entity.js';

const attempt = table(TransactionAttempt, 'attempt');
const vault = table(VaultAudit);
const audit = table(AuditEntry);
const sent = table(ChainTransaction, 'sent');
const chain = table(Chain);

const verdict = subselect(
  'verdict',
  sql`select ${out(vault, 'id', 'transactionId', 'attempt', 'txHash')} from ${vault}
       where ${vault.verdict} = 'signed'
          or (${vault.verdict} = 'adopted'
              and exists (select from ${audit}
                           where ${audit.subject} = ${vault.purposeId} and ${audit.action} = 'transaction.adopt'
                             and ${audit.details} ->> 'hash' = ${vault.txHash}))`,
);
const standing = subselect(
  'standing',
  sql`select ${out(sent, 'id')} from ${sent} join ${chain} on ${chain.id} = ${sent.chainRef}`,
);

/** Finds the signed versions that have no transaction, not exactly one verdict, or are gone. */
export function unaccountedSignatures() {
  const transactionId = sql`coalesce(${attempt.transactionId}, ${verdict.transactionId})`;
  const number = sql`coalesce(${attempt.number}, ${verdict.attempt})`;
  const txHash = sql`coalesce(${attempt.txHash}, ${verdict.txHash})`;
  return sql`
    select 'transaction_attempt ' || ${transactionId} || '/' || ${number} ${as.text('row')},
           case when count(${standing.id}) < count(*) then 'is of no transaction'
                when count(${attempt.rawTransaction}) = 0 then 'is gone, and was signed'
                else format('was signed with %s verdicts', count(${verdict.id})) end ${as.text('says')}
      from ${attempt}
      full join ${define(verdict)}
        on ${attempt.transactionId} = ${verdict.transactionId} and ${attempt.number} = ${verdict.attempt}
       and ${attempt.txHash} = ${verdict.txHash}
      left join ${define(standing)} on ${standing.id} = ${transactionId}
     group by ${transactionId}, ${number}, ${txHash}
    having count(${attempt.rawTransaction}) <> 1 or count(${verdict.id}) <> 1 or count(${standing.id}) < count(*)
     order by ${transactionId}, ${number}`;
}
