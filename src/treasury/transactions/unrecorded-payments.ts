import { DomainError } from '../../domain/errors.js';
import type { StaffOrder } from '../../platform/audit-trail.js';
import { rows, type Tx } from '../../platform/database/database.js';
import { findActiveCount, lockFrozen } from './unrecorded-payments.sql.js';

/**
 * Transactions of a hot wallet that the chain has and that are not recorded: their nonces, or their ids where they have none.
 * Null when the chain cannot be asked.
 */
export type UnrecordedMarks = readonly (number | string)[] | null;

/** An action of an operator, with the chain's answer read just before. */
export interface InformedOrder extends StaffOrder {
  readonly unknown: UnrecordedMarks;
}

/**
 * Checks that no unrecorded transaction of the chain's hot wallet may already have paid out a deposit: a restored
 * database has neither that payment nor its order. When the chain cannot be asked, the count of the worker decides,
 * unless it was taken on another database. A frozen wallet is not trusted, since a nonce used by somebody else shows in
 * no count.
 * @throws DomainError invalid_state_transition
 */
export async function expectNoUnrecordedPayment(
  tx: Tx,
  chainRef: string,
  unknown: InformedOrder['unknown'],
): Promise<void> {
  const [wallet] = await rows(tx, findActiveCount(chainRef));
  if (wallet === undefined) return;
  if ((unknown !== null && unknown.length > 0) || wallet.isAhead === true) {
    throw refusal(
      'The chain counts transactions of the hot wallet that are not recorded here, and one of them may have paid this ' +
        'deposit out: npx coffer treasury unrecorded lists them, and treasury adopt records them. Where one did, order that ' +
        'refund again by deposits resolve --to-address with --again, and name it by treasury adopt --return.',
    );
  }
  if (unknown !== null && !wallet.mayBeInFlight) return;
  if (!wallet.isCounted) {
    throw refusal(
      'The worker has not asked the chain yet for the transaction count of the hot wallet, and an unrecorded ' +
        'transaction may have paid this deposit out: try again in a minute.',
    );
  }
  if (wallet.isFrozen) {
    throw refusal(
      'The hot wallet is frozen, and its chain cannot be asked from here whether this deposit is already paid out: set ' +
        'the ..._RPC_URL of the network.',
    );
  }
}

/**
 * Checks that signing is frozen on a chain. Otherwise a repeated order for an unrecorded payment would be paid again
 * before that payment is recorded.
 * @throws DomainError invalid_state_transition
 */
export async function expectFrozen(tx: Tx, chainRef: string): Promise<void> {
  const frozen = await rows(tx, lockFrozen(chainRef));
  if (frozen.length > 0) return;
  throw refusal(
    'The hot wallet is not frozen, so this would be paid within a second, and once more: freeze it first by withdrawals ' +
      'freeze, and record the payment by treasury adopt before it is unfrozen. Without --again it is an ordinary refund.',
  );
}

const refusal = (message: string): DomainError => new DomainError('invalid_state_transition', message);
