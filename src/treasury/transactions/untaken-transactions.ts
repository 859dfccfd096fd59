import type { Database } from '../../platform/database/database.js';
import type { TransactionPurpose } from './transaction-order.js';

/** Nodes accept a transaction within seconds. */
const NOT_TAKEN_AFTER_SECONDS = 5 * 60;

/** The next transaction of a hot wallet when no node has accepted it yet. Every later one waits behind it. */
export interface UntakenTransaction {
  readonly transactionId: string;
  readonly chainRef: string;
  readonly nonce: number;
  readonly purpose: TransactionPurpose;
  /** Since it was signed. */
  readonly seconds: number;
}

/** Returns those of every active chain whose next transaction was signed minutes ago and accepted by no node. */
export async function untakenTransactions(database: Database): Promise<UntakenTransaction[]> {
  const rows = await database.query<{
    id: string;
    chain_ref: string;
    nonce: string;
    purpose: TransactionPurpose;
    seconds: number;
  }>(
    `select head.*
       from hot_wallet wallet join chain on chain.id = wallet.chain_ref and chain.active
      cross join lateral (
        select id, chain_ref, nonce, purpose, broadcast_at,
               extract(epoch from clock_timestamp() - created_at)::int as seconds
          from chain_transaction
         where chain_ref = wallet.chain_ref and status = 'signed' order by nonce limit 1) head
      where head.broadcast_at is null and head.seconds >= $1 order by wallet.chain_ref`,
    [NOT_TAKEN_AFTER_SECONDS],
  );
  return rows.map(({ id, chain_ref: chainRef, nonce, purpose, seconds }) => ({
    transactionId: id,
    chainRef,
    nonce: Number(nonce),
    purpose,
    seconds,
  }));
}
