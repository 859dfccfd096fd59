import type { EntityManager } from '@mikro-orm/postgresql';
import type { PaymentConditions } from '../../chains/expiring.js';
import { rows } from '../../platform/database/database.js';
import { findFreshConditions } from './payment-conditions.sql.js';

/** Conditions of a chain, from the newest sample of the worker. */
export interface CurrentConditions {
  readonly sampleId: string;
  readonly details: PaymentConditions;
}

/**
 * Returns the newest conditions of a chain for payments that expire; null when those of the last seconds are missing. Joins
 * the caller's transaction.
 */
export async function currentConditions(
  em: EntityManager,
  chainRef: string,
  seconds: number,
): Promise<CurrentConditions | null> {
  const [sample] = await rows(em, findFreshConditions(chainRef, seconds));
  return sample === undefined ? null : { sampleId: sample.id, details: sample.details };
}
