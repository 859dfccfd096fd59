import type { EntityManager } from '@mikro-orm/postgresql';
import { entityOf } from '../../platform/database/entity-of.js';
import type { Row } from '../../platform/sql/row.js';
import { Deposit } from './deposit.entity.js';

/** What `isReleasedBeforeReversal` computes. */
interface Release {
  readonly wasReleasedBeforeReversal: boolean | null;
}

/** A deposit with all that its state as a payment follows from. */
export interface PaymentDeposit extends Deposit, Release {}

/** Makes one from a row with `every` column and `isReleasedBeforeReversal`. */
export function paymentDepositOf(
  em: EntityManager,
  row: Row<Deposit, keyof Deposit & string> & Release,
): PaymentDeposit {
  const { wasReleasedBeforeReversal } = row;
  return Object.assign(entityOf(em, Deposit, row), { wasReleasedBeforeReversal });
}
