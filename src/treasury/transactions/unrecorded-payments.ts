import { DomainError } from '../../domain/errors.js';
import type { StaffOrder } from '../../platform/audit-trail.js';
import { type Tx, sql } from '../../platform/database/database.js';
import { DATABASE_IDENTITY } from '../database-identity.js';

/** Something that staff order, with what its chain was asked just before. */
export interface InformedOrder extends StaffOrder {
  /** Nonces that the chain counts of its hot wallet and nothing here explains; null when it cannot be asked. */
  readonly unknown: readonly number[] | null;
}

/**
 * Sees that nothing is forgotten that the hot wallet of a chain has paid, before a deposit is given away which may be out
 * already: a restored database knows neither the payment nor its order. Where the chain cannot be asked from here, what the
 * worker counted must do, unless that was on another database, and a wallet that is frozen is not believed: a nonce that was
 * used otherwise shows in no count.
 * @throws DomainError invalid_state_transition
 */
export async function expectNoUnrecordedPayment(
  tx: Tx,
  chainRef: string,
  unknown: InformedOrder['unknown'],
): Promise<void> {
  const [wallet] = await sql<{ is_counted: boolean; is_ahead: boolean | null; is_frozen: boolean }>(
    tx,
    `select chain_nonce is not null and coalesce(database_identity = ${DATABASE_IDENTITY}, true) as is_counted,
            chain_nonce > next_nonce as is_ahead,
            frozen_reason is not null as is_frozen
       from hot_wallet join chain on chain.id = chain_ref and chain.active where chain_ref = $1`,
    [chainRef],
  );
  if (wallet === undefined) return;
  if ((unknown !== null && unknown.length > 0) || wallet.is_ahead === true) {
    throw refusal(
      'The chain counts transactions of the hot wallet that are not known here, and one of them may have paid this ' +
        'deposit out: npx coffer treasury unknown lists them, and treasury adopt takes them in. Where one did, order that ' +
        'very return again by deposits resolve --to-address with --again, and name it by treasury adopt --return.',
    );
  }
  if (unknown !== null) return;
  if (!wallet.is_counted) {
    throw refusal(
      'The worker has not asked the chain yet how many transactions it counts of the hot wallet, and one that is not ' +
        'known here may have paid this deposit out: try again in a minute.',
    );
  }
  if (wallet.is_frozen) {
    throw refusal(
      'The hot wallet is frozen, and its chain cannot be asked from here whether this deposit is paid out already: set ' +
        'the ..._RPC_URL of the network.',
    );
  }
}

/**
 * Sees that nothing is signed on a chain before staff say so: else what is ordered once more, for a payment that is
 * forgotten, would be paid once more before that payment is known.
 * @throws DomainError invalid_state_transition
 */
export async function expectFrozen(tx: Tx, chainRef: string): Promise<void> {
  const frozen = await sql(
    tx,
    `select from hot_wallet where chain_ref = $1 and frozen_reason is not null for no key update`,
    [chainRef],
  );
  if (frozen.length > 0) return;
  throw refusal(
    'The hot wallet is not frozen, so this would be paid within a second, and once more: freeze it first by withdrawals ' +
      'freeze, and have treasury adopt take the payment in before it is unfrozen. Without --again it is an ordinary return.',
  );
}

const refusal = (message: string): DomainError => new DomainError('invalid_state_transition', message);
