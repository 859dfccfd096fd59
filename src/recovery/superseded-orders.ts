import { recordAction, type StaffOrder } from '../platform/audit-trail.js';
import { rows, type Tx } from '../platform/database/database.js';
import { reopenContract } from './adopted-contract.js';
import { markUnsigned } from '../treasury/transactions/payment-orders.sql.js';
import { endOrder } from '../treasury/stakes/stake-orders.sql.js';
import { finishSweeps } from '../treasury/sweeps/sweep-rows.js';
import type { FetchedTransaction } from '../treasury/transactions/fetched-transaction.js';
import type { TransactionPurpose } from '../treasury/transactions/transaction-order.js';
import type { NonceHolder } from './known-transactions.js';
import { markSuperseded } from './transactions.sql.js';

/**
 * Ends a transaction that can never be mined, because the chain has mined `sent` with its nonce. Its order stays open:
 * another unrecorded transaction may have paid it, and otherwise the vault signs it again. Joins the caller's transaction.
 */
export async function supersede(
  tx: Tx,
  holder: NonceHolder,
  {
    chainRef,
    sent,
    staff,
  }: { readonly chainRef: string; readonly sent: FetchedTransaction; readonly staff: StaffOrder },
): Promise<void> {
  const { actor, reason } = staff;
  const details = { chain: chainRef, hash: sent.signed.hash, nonce: String(sent.fields.nonce) };
  await recordAction(tx, { actor, reason, action: 'transaction.supersede', subject: holder.id, details });
  await rows(tx, markSuperseded(holder.id));
  await reopenOrder(tx, holder);
}

/**
 * Reopens the order of a transaction that is never mined: it waits unsigned again. One to stake ends instead, as where blocks
 * prove its expiry. Joins the caller's transaction.
 */
export async function reopenOrder(
  tx: Tx,
  { purpose, purposeId }: Pick<NonceHolder, 'purpose' | 'purposeId'>,
): Promise<void> {
  await REOPENED[purpose](tx, purposeId);
}

/** Reopens the order of each kind. The balances of a sweep are free, so that their funds are planned again. */
const REOPENED: Readonly<Record<TransactionPurpose, (tx: Tx, purposeId: string) => Promise<void>>> = {
  withdrawal: async (tx, id) => {
    await rows(tx, markUnsigned('withdrawal', id));
  },
  deposit_return: async (tx, id) => {
    await rows(tx, markUnsigned('deposit_return', id));
  },
  sweep: (tx, sweepId) => finishSweeps(tx, [sweepId]),
  contract: reopenContract,
  stake: async (tx, id) => {
    await rows(tx, endOrder(id, null));
  },
  // A loss has no order, and nobody supersedes a funding or energy.
  loss: async () => {},
  funding: async () => {},
  energy_loan: async () => {},
  energy_return: async () => {},
};
