import { Deposit } from '../../payments/deposits/deposit.entity.js';
import { relation } from '../../platform/sql/relation.js';
import { join, type RowOf, sql, type SqlText } from '../../platform/sql/sql.js';
import { out, set, type Table, table } from '../../platform/sql/table.js';
import { Refund } from '../../suspense/refunds/refund.entity.js';
import { Withdrawal } from '../../withdrawals/withdrawal.entity.js';
import { PAYMENT_PURPOSES, type PaymentPurpose } from './transaction-order.js';

const withdrawal = table(Withdrawal);
const refund = table(Refund);
const deposit = table(Deposit);

/** What the orders of all purposes have. */
type OrderRow = Pick<Withdrawal, 'id' | 'status' | 'destinationKey' | 'signedAt' | 'txHash' | 'createdAt'> & {
  readonly waitingReason: string | null;
};

/** The terms of orders, which may be in another table. */
type TermsRow = Pick<Withdrawal, 'chainRef' | 'tokenContract' | 'amount'>;

/** The orders of one payment purpose. */
interface PaymentTable {
  readonly order: Table<OrderRow>;
  readonly terms: Table<TermsRow>;
  /** The orders with the rows that hold their terms. */
  readonly from: SqlText;
  /** The chain of an order, without its terms. */
  readonly chainRef: SqlText;
  readonly feeStrategy: SqlText;
  /** What each update sets beside its own columns: nothing, or assignments after a comma. */
  readonly stamp: SqlText;
  /** Whether the order may be paid at all. */
  readonly isPayable: SqlText;
}

/** All that the treasury's statements know of the orders that it pays. */
export const PAYMENTS: Readonly<Record<PaymentPurpose, PaymentTable>> = {
  withdrawal: {
    order: withdrawal,
    terms: withdrawal,
    from: withdrawal,
    chainRef: withdrawal.chainRef,
    feeStrategy: withdrawal.feeStrategy,
    stamp: sql`, ${set(withdrawal, { updatedAt: sql`now()` })}`,
    isPayable: sql`true`,
  },
  deposit_return: {
    order: refund,
    terms: deposit,
    from: sql`${refund} join ${deposit} on ${deposit.id} = ${refund.depositId}`,
    chainRef: sql`(select ${deposit.chainRef} from ${deposit} where ${deposit.id} = ${refund.depositId})`,
    feeStrategy: sql`'standard'`,
    stamp: sql``,
    isPayable: sql`${deposit.goneAt} is null`,
  },
};

/** Whether an order is still to be signed. */
export function isToSign(purpose: PaymentPurpose): SqlText {
  const { order } = PAYMENTS[purpose];
  return sql`${order.status} = 'broadcasting' and ${order.signedAt} is null`;
}

function unsignedOf(purpose: PaymentPurpose) {
  const { order, terms, from } = PAYMENTS[purpose];
  return sql`
    select ${out(terms, 'chainRef', 'tokenContract', 'amount')}, ${order.waitingReason.as('waitingReason')}
      from ${from} where ${isToSign(purpose)}`;
}

/** A row of `unsignedPayments`. */
export const payment = relation<RowOf<typeof unsignedOf>>('payment');

/** All unsigned payments of hot wallets, with their waiting reasons, as the relation `payment`. */
export const unsignedPayments = sql`(${join(PAYMENT_PURPOSES.map(unsignedOf), ' union all ')}) ${payment}`;
