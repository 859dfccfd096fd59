import type { EntityManager } from '@mikro-orm/postgresql';
import { rows, type Tx } from '../platform/database/database.js';
import type { RowOf } from '../platform/sql/sql.js';
import type { DecodedTransaction } from '../chains/evm/sent-transaction.js';
import { findByHash, lockHolder } from './transactions.sql.js';

/** A recorded transaction. */
export type KnownTransaction = RowOf<typeof findByHash>;

/** The recorded transaction that has a nonce. */
export type NonceHolder = RowOf<typeof lockHolder>;

/** Returns the recorded transaction with this hash; null when there is none. */
export async function knownAs(em: EntityManager, chainRef: string, txHash: string): Promise<KnownTransaction | null> {
  const [row] = await rows(em, findByHash(chainRef, txHash));
  return row ?? null;
}

/** Locks and returns the recorded transaction that has the same nonce; null when there is none. */
export async function holderOf(
  tx: Tx,
  chainRef: string,
  { sender, fields }: DecodedTransaction,
): Promise<NonceHolder | null> {
  const [row] = await rows(tx, lockHolder({ chainRef, sender, nonce: fields.nonce }));
  return row ?? null;
}
