import { as } from '../../platform/sql/as.js';
import { cte, define, subselect } from '../../platform/sql/relation.js';
import { sql, type SqlText } from '../../platform/sql/sql.js';
import { out, set, table } from '../../platform/sql/table.js';
import { ChainTransaction } from './chain-transaction.entity.js';
import { TransactionAttempt } from './transaction-attempt.entity.js';

const transaction = table(ChainTransaction);
const attempt = table(TransactionAttempt);

/** How many transactions are claimed, and when they are sent again. */
interface Resend {
  readonly limit: number;
  readonly afterMs: number;
  readonly atLatestMs: number;
}

/** Finds the chains with transactions that are due to be sent. */
export const chainsWithDue = sql`
  select distinct ${out(transaction, 'chainRef')} from ${transaction}
   where ${transaction.status} = 'signed' and ${transaction.dueAt} <= now()`;

const newestAttempt = (transactionId: SqlText) => sql`
  select ${out(attempt, 'txHash', 'rawTransaction')} from ${attempt}
   where ${attempt.transactionId} = ${transactionId} order by ${attempt.number} desc limit 1`;
const newest = subselect('newest', newestAttempt);

/**
 * Claims due transactions of a chain by postponing their next send, and returns them by their nonces, each with its newest
 * attempt and whether a node has accepted it, or an earlier attempt, before.
 */
export function claimDue(chainRef: string, { limit, afterMs, atLatestMs }: Resend) {
  const due = cte(
    'due',
    sql`
      select ${out(transaction, 'id')} from ${transaction}
       where ${transaction.chainRef} = ${chainRef} and ${transaction.status} = 'signed' and ${transaction.dueAt} <= now()
       order by ${transaction.dueAt} limit ${limit} for no key update skip locked`,
  );
  const sentForMs = sql`coalesce(extract(epoch from now() - ${transaction.broadcastAt}) * 1000, 0)`;
  const dueAt = sql`
    now() + least(${atLatestMs}::int, greatest(${afterMs}::int, ${sentForMs})) * interval '1 millisecond'`;
  const claimed = cte(
    'claimed',
    sql`
      update ${transaction} set ${set(transaction, { dueAt })} where ${transaction.id} in (select ${due.id} from ${due})
      returning ${out(transaction, 'id', 'purpose', 'purposeId', 'nonce')},
                ${transaction.broadcastAt} is not null ${as.boolean('wasTaken')}`,
  );
  return sql`
    with ${define(due)}, ${define(claimed)}
    select ${claimed.id.as('id')}, ${claimed.purpose.as('purpose')}, ${claimed.purposeId.as('purposeId')},
           ${claimed.wasTaken.as('wasTaken')}, ${newest.txHash.as('txHash')}, ${newest.rawTransaction.as('rawTransaction')}
      from ${claimed} cross join lateral ${define(newest, claimed.id)}
     order by ${claimed.nonce}`;
}

/**
 * Locks those of these transactions that are still open. Locked in one order everywhere, so that concurrent transactions
 * wait instead of deadlocking.
 */
export const lockOpen = (ids: readonly string[]) => sql`
  select ${out(transaction, 'id')} from ${transaction}
   where ${transaction.id} = any(${ids}) and ${transaction.status} = 'signed' order by ${transaction.id} for no key update`;

/** Records that nodes accepted transactions for the first time. */
export const markBroadcast = (ids: readonly string[]) => sql`
  update ${transaction} set ${set(transaction, { broadcastAt: sql`now()` })}
   where ${transaction.id} = any(${ids}) and ${transaction.broadcastAt} is null`;
