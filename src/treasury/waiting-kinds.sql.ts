import { as } from '../platform/sql/as.js';
import { all, relation } from '../platform/sql/relation.js';
import { join, type RowOf, sql } from '../platform/sql/sql.js';
import { SWEEP_PURPOSES, type SweepPurpose, waitingSweeps } from './sweeps/sweep-signing.sql.js';
import { PAYMENT_PURPOSES, type PaymentPurpose } from './transactions/transaction-order.js';
import { waitingPayments, waitingReplacements, type WaitingTable } from './transactions/waiting-orders.sql.js';

/** The kinds of orders that the vault signs: the purposes of transactions, and replacements. */
export type WaitingKind = PaymentPurpose | SweepPurpose | 'replacement';

const KINDS: readonly (readonly [WaitingKind, WaitingTable])[] = [
  ['replacement', waitingReplacements],
  ...PAYMENT_PURPOSES.map((purpose) => [purpose, waitingPayments(purpose)] as const),
  ...SWEEP_PURPOSES.map((purpose) => [purpose, waitingSweeps(purpose)] as const),
];

/** In the order of `waitingOrders`, so that each table is read by the index of its waiting rows before it is counted, too. */
const oldestWaiting = (kind: WaitingKind, { rows, isOpen }: WaitingTable) => sql`
  select ${kind}::text ${as.textOf<WaitingKind>()('kind')} from ${rows} where ${isOpen}
   order by ${rows.createdAt}, ${rows.id} limit 1`;
const waiting = relation<RowOf<typeof oldestWaiting>>('waiting');

const ofEachKind = join(
  KINDS.map(([kind, table]) => sql`(${oldestWaiting(kind, table)})`),
  ' union all ',
);

/** Finds the kinds of which an order waits for a signature. */
export const findWaitingKinds = sql`select ${all(waiting)} from (${ofEachKind}) ${waiting}`;
