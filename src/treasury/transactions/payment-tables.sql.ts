import { PAYMENT_PURPOSES, type PaymentPurpose } from './transaction-order.js';

/** The orders of one payment purpose, in SQL. The purpose is also the name of their table. */
interface PaymentTable {
  /** The orders with the rows that hold their terms. */
  readonly from: string;
  /** The table of `from` with `chain_ref`, `token_contract` and `amount`. */
  readonly terms: string;
  /** The chain of an order, without its terms. */
  readonly chainRef: string;
  readonly feeStrategy: string;
  /** Whether the order may be paid at all. */
  readonly isPayable: string;
}

/** All that the treasury's SQL knows of the orders that it pays; it imports nothing of the rooms that own them. */
export const PAYMENT_TABLES: Readonly<Record<PaymentPurpose, PaymentTable>> = {
  withdrawal: {
    from: 'withdrawal',
    terms: 'withdrawal',
    chainRef: 'withdrawal.chain_ref',
    feeStrategy: 'withdrawal.fee_strategy',
    isPayable: 'true',
  },
  deposit_return: {
    from: 'deposit_return join deposit on deposit.id = deposit_return.deposit_id',
    terms: 'deposit',
    chainRef: '(select chain_ref from deposit where deposit.id = deposit_return.deposit_id)',
    feeStrategy: `'standard'`,
    isPayable: 'deposit.gone_at is null',
  },
};

/** SQL: whether an order of this table is still to be signed. */
export const isUnsigned = (table: PaymentPurpose): string =>
  `${table}.status = 'broadcasting' and ${table}.signed_at is null`;

/** SQL: all unsigned payments of hot wallets, with their waiting reasons. */
export const UNSIGNED_PAYMENTS = `(${PAYMENT_PURPOSES.map((purpose) => {
  const { from, terms } = PAYMENT_TABLES[purpose];
  return `
  select ${terms}.chain_ref, ${terms}.token_contract, ${terms}.amount, ${purpose}.waiting_reason
    from ${from} where ${isUnsigned(purpose)}`;
}).join(' union all')})`;
