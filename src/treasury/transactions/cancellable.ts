import { DomainError } from '../../domain/errors.js';
import { type Tx, sql } from '../../platform/database/database.js';
import type { TransactionPurpose } from './transaction-order.js';

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
 * Sees that nothing is signed for an order that may yet be mined. The caller has locked the order's row. A vault that is about to sign it waits
 * for that lock, or the caller has waited for the vault's.
 * @param unknown Nonces that its chain counts and nothing here explains, asked just now; null when it cannot be asked
 * @throws DomainError invalid_state_transition
 */
export async function expectCancellable(
  tx: Tx,
  { purpose, purposeId, chainRef, isSigned, word }: CancelledOrder,
  unknown: readonly number[] | null,
): Promise<void> {
  // Asked of both tables: what a signature exists for may be mined at any time, whatever the order says. What is superseded
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
 * The rows may be older than the chain, and what they say of its count as old as they are: so the chain's own answer is
 * asked for, and the count must be of after the vault's start.
 */
async function expectAllKnown(tx: Tx, chainRef: string, unknown: readonly number[] | null): Promise<void> {
  if (unknown === null) {
    throw new DomainError(
      'invalid_state_transition',
      'Its chain cannot be asked from here whether it is paid already: set the ..._RPC_URL of the network.',
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
      'The chain counts transactions of the hot wallet that are not known here, and one of them may have paid it: ' +
        'npx coffer treasury unknown lists them.',
    );
  }
  if (wallet?.is_counted === false) {
    throw new DomainError(
      'invalid_state_transition',
      'The worker has not asked the chain yet how many transactions it counts of the hot wallet: try again in a minute.',
    );
  }
}
