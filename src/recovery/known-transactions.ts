import { type Tx, sql } from '../platform/database/database.js';
import type { ChainTransactionStatus } from '../treasury/transactions/chain-transaction.entity.js';
import type { SentTransaction } from '../treasury/transactions/sent-transaction.js';
import type { TransactionPurpose } from '../treasury/transactions/transaction-order.js';

/** A transaction that is in the books. */
export interface KnownTransaction {
  readonly id: string;
  readonly nonce: number;
  readonly purpose: TransactionPurpose;
  readonly purposeId: string;
}

/** What has a nonce here. */
export interface NonceHolder extends KnownTransaction {
  readonly status: ChainTransactionStatus;
}

/** What is in the books by this hash; null when nothing is. */
export async function knownAs(tx: Tx, chainRef: string, txHash: string): Promise<KnownTransaction | null> {
  const [row] = await sql<KnownTransaction>(
    tx,
    `select transaction.id, transaction.nonce::int, transaction.purpose, transaction.purpose_id as "purposeId"
       from transaction_attempt attempt join chain_transaction transaction on transaction.id = attempt.transaction_id
      where attempt.tx_hash = $2 and transaction.chain_ref = $1`,
    [chainRef, txHash],
  );
  return row ?? null;
}

/** What has the nonce of a transaction here, locked; null when nothing has. */
export async function holderOf(
  tx: Tx,
  chainRef: string,
  { sender, fields }: SentTransaction,
): Promise<NonceHolder | null> {
  const [row] = await sql<NonceHolder>(
    tx,
    `select id, nonce::int, purpose, purpose_id as "purposeId", status from chain_transaction
      where chain_ref = $1 and sender = $2 and nonce = $3 and status <> 'superseded' for no key update`,
    [chainRef, sender, fields.nonce],
  );
  return row ?? null;
}
