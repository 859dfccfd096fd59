import { recordAction, type StaffOrder } from '../platform/audit-trail.js';
import { type Tx, sql } from '../platform/database/database.js';
import { reopenRefund } from '../suspense/refunds/refund-order.js';
import { reopenContract } from './adopted-contract.js';
import { finishSweeps } from '../treasury/sweeps/sweep-rows.js';
import type { FetchedTransaction } from '../treasury/transactions/fetched-transaction.js';
import type { TransactionPurpose } from '../treasury/transactions/transaction-order.js';
import type { NonceHolder } from './known-transactions.js';

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
  await sql(tx, `update chain_transaction set status = 'superseded', finished_at = now() where id = $1`, [holder.id]);
  await REOPENED[holder.purpose](tx, holder.purposeId);
}

/** Reopens the order of each kind. The balances of a sweep are free, so that their funds are planned again. */
const REOPENED: Readonly<Record<TransactionPurpose, (tx: Tx, purposeId: string) => Promise<void>>> = {
  withdrawal: reopenWithdrawal,
  deposit_return: reopenRefund,
  sweep: (tx, sweepId) => finishSweeps(tx, [sweepId]),
  contract: reopenContract,
  // A loss has no order.
  loss: async () => {},
};

/** Removes the hash as well: the merchant must not see one that will never be mined. */
async function reopenWithdrawal(tx: Tx, id: string): Promise<void> {
  await sql(
    tx,
    `update withdrawal set signed_at = null, tx_hash = null, waiting_reason = null, updated_at = now() where id = $1`,
    [id],
  );
}
