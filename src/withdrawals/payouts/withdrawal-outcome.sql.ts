import { FAILURES, type FailureCode } from '../../domain/withdrawal.js';
import { Pocket } from '../../ledger/pocket.entity.js';
import { given, unnest } from '../../platform/sql/given.js';
import { sql } from '../../platform/sql/sql.js';
import { every, out, set, table } from '../../platform/sql/table.js';
import { Withdrawal } from '../withdrawal.entity.js';

const withdrawal = table(Withdrawal);
const pocket = table(Pocket);
const paid = given('paid', { purposeId: 'text', txHash: 'text' });

/** Fails a withdrawal and returns it. Without a hash it keeps the one that it has. */
export const failWithdrawal = (id: string, code: FailureCode, txHash: string | null) => sql`
  update ${withdrawal}
     set ${set(withdrawal, {
       status: 'failed',
       failureCode: code,
       failureMessage: FAILURES[code],
       txHash: sql`coalesce(${txHash}, ${withdrawal.txHash})`,
       waitingReason: null,
       updatedAt: sql`now()`,
     })}
   where ${withdrawal.id} = ${id} returning ${every(withdrawal)}`;

/** Locks a withdrawal that has not ended. */
export const lockOpenWithdrawal = (id: string) => sql`
  select ${every(withdrawal)} from ${withdrawal}
   where ${withdrawal.id} = ${id} and ${withdrawal.status} = 'broadcasting' for no key update`;

/** Completes withdrawals by the hashes of the transactions that have paid them, and returns them. */
export const completeWithdrawals = (orders: readonly { readonly purposeId: string; readonly txHash: string }[]) => sql`
  update ${withdrawal}
     set ${set(withdrawal, {
       status: 'completed',
       txHash: paid.txHash,
       waitingReason: null,
       completedAt: sql`now()`,
       updatedAt: sql`now()`,
     })}
    from ${unnest(paid, orders)} where ${withdrawal.id} = ${paid.purposeId} returning ${every(withdrawal)}`;

/** Reads the accounts of pockets. */
export const accountsOfPockets = (ids: readonly string[]) => sql`
  select ${out(pocket, 'id', 'availableAccountId', 'heldAccountId')} from ${pocket} where ${pocket.id} = any(${ids})`;
