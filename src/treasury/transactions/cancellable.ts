import { DomainError } from '../../domain/errors.js';
import { type Tx, sql } from '../../platform/database/database.js';
import type { TransactionPurpose } from './transaction-order.js';

/** An order that an operator wants to cancel before anything is paid. */
export interface CancelledOrder {
  readonly purpose: TransactionPurpose;
  readonly purposeId: string;
  readonly chainRef: string;
  /** As its own row says. */
  readonly isSigned: boolean;
  /** The noun for messages, such as `withdrawal`. */
  readonly word: string;
}

/**
 * Checks that no signed transaction of the order may still be mined. The caller has locked the order's row: a vault
 * that is about to sign it waits for that lock, or the caller has waited for the vault's.
 * @param unknown Nonces that the chain counts and no transaction here explains, read just now; null when the chain
 * cannot be asked
 * @throws DomainError invalid_state_transition
 */
export async function expectCancellable(
  tx: Tx,
  { purpose, purposeId, chainRef, isSigned, word }: CancelledOrder,
  unknown: readonly number[] | null,
): Promise<void> {
  // Both tables are checked: a signed transaction may be mined at any time, whatever the order says. A superseded one
  // never is.
  const signed = await sql(
    tx,
    `select from chain_transaction where purpose = $1 and purpose_id = $2 and status <> 'superseded'
      union all
     select from vault_audit where purpose = $1 and purpose_id = $2 and verdict <> 'refused'
        and not exists (select from chain_transaction where id = vault_audit.transaction_id and status = 'superseded')
      limit 1`,
    [purpose, purposeId],
  );
  if (isSigned || signed.length > 0) {
    throw new DomainError(
      'invalid_state_transition',
      `A transaction is signed for this ${word} and may be mined at any time: it cannot be cancelled any more.`,
    );
  }
  await expectAllKnown(tx, chainRef, unknown);
}

/**
 * The rows may be older than the chain, and so may the stored transaction count. So the chain itself is asked, and the
 * stored count must come from after the vault's start.
 */
async function expectAllKnown(tx: Tx, chainRef: string, unknown: readonly number[] | null): Promise<void> {
  if (unknown === null) {
    throw new DomainError(
      'invalid_state_transition',
      'The chain cannot be asked from here whether it is already paid: set the ..._RPC_URL of the network.',
    );
  }
  const [wallet] = await sql<{ is_counted: boolean; is_ahead: boolean | null }>(
    tx,
    `select chain_nonce is not null as is_counted, chain_nonce > next_nonce as is_ahead
       from hot_wallet where chain_ref = $1`,
    [chainRef],
  );
  if (unknown.length > 0 || wallet?.is_ahead === true) {
    throw new DomainError(
      'invalid_state_transition',
      'The chain counts transactions of the hot wallet that are not recorded here, and one of them may have paid it: ' +
        'npx coffer treasury unrecorded lists them.',
    );
  }
  if (wallet?.is_counted === false) {
    throw new DomainError(
      'invalid_state_transition',
      'The worker has not asked the chain yet for the transaction count of the hot wallet: try again in a minute.',
    );
  }
}
