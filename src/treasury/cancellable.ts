import { DomainError } from '../domain/errors.js';
import { type Tx, sql } from '../platform/database/database.js';
import type { TransactionPurpose } from './standing-order.js';

/** An order that staff want to end before anything is paid. */
export interface CancelledOrder {
  readonly purpose: TransactionPurpose;
  readonly purposeId: string;
  readonly chainRef: string;
  /** By its own row. */
  readonly isSigned: boolean;
  /** How it is called, such as `withdrawal`. */
  readonly word: string;
}

/**
 * Sees that nothing was ever signed for an order, whose row the caller has locked. A vault that is about to sign it waits
 * for that lock, or the caller has waited for the vault's.
 * @throws DomainError invalid_state_transition
 */
export async function expectCancellable(
  tx: Tx,
  { purpose, purposeId, chainRef, isSigned, word }: CancelledOrder,
): Promise<void> {
  // Asked of both tables: what a signature exists for may be mined at any time, whatever the order says.
  const signed = await sql(
    tx,
    `select from chain_transaction where purpose = $1 and purpose_id = $2
      union all select from vault_audit where purpose = $1 and purpose_id = $2 and verdict <> 'refused'
      limit 1`,
    [purpose, purposeId],
  );
  if (isSigned || signed.length > 0) {
    throw new DomainError(
      'invalid_state_transition',
      `A transaction is signed for this ${word} and may be mined at any time: it cannot be cancelled any more.`,
    );
  }
  const ahead = await sql(tx, `select from hot_wallet where chain_ref = $1 and chain_nonce > next_nonce`, [chainRef]);
  if (ahead.length > 0) {
    throw new DomainError(
      'invalid_state_transition',
      'The chain counts transactions of the hot wallet that are not known here, and one of them may have paid it: ' +
        'npx coffer treasury unknown lists them.',
    );
  }
}
