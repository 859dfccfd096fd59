import { as } from '../../platform/sql/as.js';
import { given, unnest } from '../../platform/sql/given.js';
import { sql, type SqlText } from '../../platform/sql/sql.js';
import { out, set, type Table, table } from '../../platform/sql/table.js';
import { Refund } from '../../suspense/refunds/refund.entity.js';
import { isBeingSimulated } from '../simulation/payment-simulations.sql.js';
import { EnergyLoan } from '../sweeps/energy/energy-loan.entity.js';
import { EnergyReturn } from '../sweeps/energy/energy-return.entity.js';
import { Funding } from '../sweeps/funding/funding.entity.js';
import { StakeOrder } from '../stakes/stake-order.entity.js';
import { SweepContract } from '../sweeps/sweep-contract.entity.js';
import { Sweep } from '../sweeps/sweep.entity.js';
import { ChainTransaction } from './chain-transaction.entity.js';
import { isToSign, PAYMENTS } from './payment-tables.sql.js';
import type { PaymentPurpose } from './transaction-order.js';

const transaction = table(ChainTransaction);
const waiting = given('waiting', { id: 'text', reason: 'text' });

/** Tables whose rows have a waiting reason, by their names. */
const WITH_REASON = {
  deposit_return: table(Refund),
  sweep: table(Sweep),
  sweep_contract: table(SweepContract),
  funding: table(Funding),
  energy_loan: table(EnergyLoan),
  energy_return: table(EnergyReturn),
  stake_order: table(StakeOrder),
};
type TableWithReason = keyof typeof WITH_REASON;

/** A table whose rows wait for a signature. */
export interface WaitingTable {
  readonly rows: Table<{ readonly id: string; readonly createdAt: Date }>;
  /** The purpose of a row's transaction, and the id of its order. */
  readonly purpose: SqlText;
  readonly purposeId: SqlText;
  /** Whether the row waits. */
  readonly isOpen: SqlText;
  /** The chain on which it is signed. */
  readonly chainRef: SqlText;
  /** Whether its waiting reason is recorded. */
  readonly hasReason: SqlText;
  /** Whether the worker has to simulate it first. */
  readonly isBeingSimulated: SqlText;
}

/** The start of a page, and the orders that it leaves out. */
export interface WaitingPage {
  /** The last order of the previous page; null for the first page. */
  readonly after: { readonly id: string; readonly createdAt: string } | null;
  /** Chains of which only orders without a reason are read. */
  readonly heldUp: readonly string[];
  readonly limit: number;
}

/** Describes the waiting payments of a purpose. */
export function waitingPayments(purpose: PaymentPurpose): WaitingTable {
  const { order, chainRef } = PAYMENTS[purpose];
  return {
    rows: order,
    purpose: sql`${purpose}::text`,
    purposeId: order.id,
    isOpen: isToSign(purpose),
    chainRef,
    hasReason: sql`${order.waitingReason} is not null`,
    isBeingSimulated: isBeingSimulated(purpose),
  };
}

/** Describes the transactions that wait for a replacement. */
export const waitingReplacements: WaitingTable = {
  rows: transaction,
  purpose: transaction.purpose,
  purposeId: transaction.purposeId,
  isOpen: sql`${transaction.status} = 'signed' and ${transaction.replaceWantedAt} is not null`,
  chainRef: transaction.chainRef,
  // A refusal is a verdict and not a column, and is checked again each time.
  hasReason: sql`false`,
  isBeingSimulated: sql`false`,
};

/** Reads one page of waiting orders, the oldest first. */
export function waitingOrders({ rows, ...of }: WaitingTable, { after, heldUp, limit }: WaitingPage) {
  const createdAfter = new Date(after?.createdAt ?? 0);
  return sql`
    select ${out(rows, 'id', 'createdAt')}, ${of.chainRef} ${as.text('chainRef')}, ${of.hasReason} ${as.boolean('hasReason')},
           ${of.isBeingSimulated} ${as.boolean('isBeingSimulated')}
      from ${rows}
     where ${of.isOpen} and (${rows.createdAt}, ${rows.id}) > (${createdAfter}, ${after?.id ?? ''})
       and (${of.chainRef} <> all(${heldUp}) or not ${of.hasReason})
     order by ${rows.createdAt}, ${rows.id} limit ${limit}`;
}

/** Finds the order behind a row, and its chain. */
export const findOrderBehind = ({ rows, purpose, purposeId, chainRef }: WaitingTable, id: string) => sql`
  select ${purpose} ${as.text('purpose')}, ${purposeId} ${as.text('purposeId')}, ${chainRef} ${as.text('chainRef')}
    from ${rows} where ${rows.id} = ${id}`;

/** Records why rows wait, by their ids, and returns the ids of those whose reason changed. */
export function updateReasons(name: TableWithReason, reasons: ReadonlyMap<string, string>) {
  const rows: Table<{ readonly id: string; readonly waitingReason: string | null }> = WITH_REASON[name];
  const listed = [...reasons].map(([id, reason]) => ({ id, reason }));
  return sql`
    update ${rows} set ${set(rows, { waitingReason: waiting.reason })} from ${unnest(waiting, listed)}
     where ${rows.id} = ${waiting.id} and ${rows.waitingReason} is distinct from ${waiting.reason}
    returning ${out(rows, 'id')}`;
}
