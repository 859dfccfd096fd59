import { type Tx, sql } from '../platform/database/database.js';
import type { ChainTransactionStatus } from '../treasury/transactions/chain-transaction.entity.js';
import type { DecodedTransaction } from '../chains/evm/sent-transaction.js';
import type { TransactionPurpose } from '../treasury/transactions/transaction-order.js';

/** A recorded transaction. */
export interface KnownTransaction {
  readonly id: string;
  readonly nonce: number;
  readonly purpose: TransactionPurpose;
  readonly purposeId: string;
}

/** The recorded transaction that has a nonce. */
export interface NonceHolder extends KnownTransaction {
  readonly status: ChainTransactionStatus;
}

/** Returns the recorded transaction with this hash; null when there is none. */
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

/** Locks and returns the recorded transaction that has the same nonce; null when there is none. */
export async function holderOf(
  tx: Tx,
  chainRef: string,
  { sender, fields }: DecodedTransaction,
): Promise<NonceHolder | null> {
  const [row] = await sql<NonceHolder>(
    tx,
    `select id, nonce::int, purpose, purpose_id as "purposeId", status from chain_transaction
      where chain_ref = $1 and sender = $2 and nonce = $3 and status <> 'superseded' for no key update`,
    [chainRef, sender, fields.nonce],
  );
  return row ?? null;
}
