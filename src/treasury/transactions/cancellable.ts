import { DomainError } from '../../domain/errors.js';
import { rows, type Tx } from '../../platform/database/database.js';
import type { TransactionPurpose } from './transaction-order.js';
import type { UnrecordedMarks } from './unrecorded-payments.js';
import { findCount, findSignature } from './unrecorded-payments.sql.js';

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
 * @param unknown Read just now.
 * @throws DomainError invalid_state_transition
 */
export async function expectCancellable(
  tx: Tx,
  { purpose, purposeId, chainRef, isSigned, word }: CancelledOrder,
  unknown: UnrecordedMarks,
): Promise<void> {
  const signed = await rows(tx, findSignature(purpose, purposeId));
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
async function expectAllKnown(tx: Tx, chainRef: string, unknown: UnrecordedMarks): Promise<void> {
  if (unknown === null) {
    throw new DomainError(
      'invalid_state_transition',
      'The chain cannot be asked from here whether it is already paid: set the ..._RPC_URL of the network.',
    );
  }
  const [wallet] = await rows(tx, findCount(chainRef));
  if (unknown.length > 0 || wallet?.isAhead === true) {
    throw new DomainError(
      'invalid_state_transition',
      'The chain counts transactions of the hot wallet that are not recorded here, and one of them may have paid it: ' +
        'npx coffer treasury unrecorded lists them.',
    );
  }
  if (wallet?.isCounted === false) {
    throw new DomainError(
      'invalid_state_transition',
      'The worker has not asked the chain yet for the transaction count of the hot wallet: try again in a minute.',
    );
  }
}
