import type { Transfer } from '../chains/evm/transfer-call.js';
import { Deposit } from '../payments/deposits/deposit.entity.js';
import { as } from '../platform/sql/as.js';
import { sql, type SqlText } from '../platform/sql/sql.js';
import { out, set, table } from '../platform/sql/table.js';
import { Refund } from '../suspense/refunds/refund.entity.js';
import { Withdrawal } from '../withdrawals/withdrawal.entity.js';

const withdrawal = table(Withdrawal);
const refund = table(Refund);
const deposit = table(Deposit);

const withdrawalsLike = (chainRef: string, { recipient, token, amount }: Transfer, lock: SqlText) => sql`
  select 'withdrawal' ${as.textOf<'withdrawal'>()('purpose')}, ${out(withdrawal, 'id', 'status')},
         ${withdrawal.signedAt} is not null ${as.boolean('isSigned')}, ${withdrawal.merchantId.asOrNull('merchantId')},
         ${out(withdrawal, 'createdAt')}
    from ${withdrawal}
   where ${withdrawal.chainRef} = ${chainRef} and ${withdrawal.destinationKey} = ${recipient}
     and ${withdrawal.tokenContract} = ${token} and ${withdrawal.amount} = ${amount}
   order by ${withdrawal.createdAt}, ${withdrawal.id} ${lock}`;

/** Finds the withdrawals that asked for a transfer, the oldest first. */
export const findWithdrawalsLike = (chainRef: string, transfer: Transfer) => withdrawalsLike(chainRef, transfer, sql``);

/** Does the same, and locks them. */
export const lockWithdrawals = (chainRef: string, transfer: Transfer) =>
  withdrawalsLike(chainRef, transfer, sql`for no key update`);

const refundsLike = (chainRef: string, { recipient, token, amount }: Transfer, lock: SqlText) => sql`
  select 'deposit_return' ${as.textOf<'deposit_return'>()('purpose')}, ${out(refund, 'id', 'status')},
         ${refund.signedAt} is not null ${as.boolean('isSigned')}, null ${as.textOrNull('merchantId')},
         ${out(refund, 'createdAt')}
    from ${refund} join ${deposit} on ${deposit.id} = ${refund.depositId}
   where ${deposit.chainRef} = ${chainRef} and ${refund.destinationKey} = ${recipient}
     and ${deposit.tokenContract} = ${token} and ${deposit.amount} = ${amount}
   order by ${refund.createdAt}, ${refund.id} ${lock}`;

/** Finds the refunds that asked for a transfer, the oldest first. Staff ordered them, so they have no merchant. */
export const findRefundsLike = (chainRef: string, transfer: Transfer) => refundsLike(chainRef, transfer, sql``);

/** Does the same, and locks them. */
export const lockRefunds = (chainRef: string, transfer: Transfer) =>
  refundsLike(chainRef, transfer, sql`for no key update of ${refund}`);

/** Marks an order of each kind as signed. */
export const markSigned = {
  withdrawal: (id: string) => sql`
    update ${withdrawal} set ${set(withdrawal, { signedAt: sql`now()`, waitingReason: null })}
     where ${withdrawal.id} = ${id}`,
  deposit_return: (id: string) => sql`
    update ${refund} set ${set(refund, { signedAt: sql`now()`, waitingReason: null })} where ${refund.id} = ${id}`,
};
