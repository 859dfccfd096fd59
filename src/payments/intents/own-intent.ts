import type { EntityManager } from '@mikro-orm/postgresql';
import { DomainError, notFound } from '../../domain/errors.js';
import type { Tenant } from '../../domain/tenant.js';
import { rows, type Tx } from '../../platform/database/database.js';
import { entityOf } from '../../platform/database/entity-of.js';
import { lockOwnIntent, readOwnIntent } from './payment-intents.sql.js';
import { PaymentIntent } from './payment-intent.entity.js';

/** An intent of the caller. It is due once its deadline has passed, with or without an outcome. */
export interface OwnIntent {
  readonly intent: PaymentIntent;
  readonly isDue: boolean;
}

/** Reads an intent of the caller. @throws DomainError `not_found`, for that of another merchant too */
export const readOwn = (em: EntityManager, tenant: Tenant, id: string): Promise<OwnIntent> =>
  found(em, readOwnIntent(id, tenant));

/** Locks an intent of the caller. @throws DomainError `not_found`, for that of another merchant too */
export const lockOwn = (tx: Tx, tenant: Tenant, id: string): Promise<OwnIntent> => found(tx, lockOwnIntent(id, tenant));

async function found(em: EntityManager, statement: ReturnType<typeof lockOwnIntent>): Promise<OwnIntent> {
  const [row] = await rows(em, statement);
  if (row === undefined) throw notFound('payment intent');
  return { intent: entityOf(em, PaymentIntent, row), isDue: row.isDue };
}

export function pastDeadline(): DomainError {
  return new DomainError('invalid_state_transition', 'The deadline of the payment intent has passed.');
}
