import { recordAction, type StaffOrder } from '../platform/audit-trail.js';
import { type Tx, sql } from '../platform/database/database.js';
import { reopenReturn } from '../suspense/refunds/return-order.js';
import { reopenContract } from './adopted-contract.js';
import { finishSweeps } from '../treasury/sweeps/sweep-rows.js';
import type { FetchedTransaction } from '../treasury/transactions/fetched-transaction.js';
import type { TransactionPurpose } from '../treasury/transactions/transaction-order.js';
import type { NonceHolder } from './known-transactions.js';

/**
 * Ends a transaction that can never be mined, since the chain has `instead` with its nonce. Its order does not end: it may
 * be what another forgotten transaction paid, and is signed for anew else. Joins the caller's transaction.
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

/** How the order of each kind goes on. The balances of a sweep are free: what still lies there is planned anew. */
const REOPENED: Readonly<Record<TransactionPurpose, (tx: Tx, purposeId: string) => Promise<void>>> = {
  withdrawal: reopenWithdrawal,
  deposit_return: reopenReturn,
  sweep: (tx, sweepId) => finishSweeps(tx, [sweepId]),
  contract: reopenContract,
  // Nobody ordered it.
  loss: async () => {},
};

/** A merchant is shown no hash that will never be mined. */
async function reopenWithdrawal(tx: Tx, id: string): Promise<void> {
  await sql(
    tx,
    `update withdrawal set signed_at = null, tx_hash = null, waiting_reason = null, updated_at = now() where id = $1`,
    [id],
  );
}
