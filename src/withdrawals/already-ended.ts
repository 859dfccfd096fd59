import { DomainError } from '../domain/errors.js';
import { lastActionOn } from '../platform/audit-trail.js';
import type { Tx } from '../platform/database/database.js';
import type { Withdrawal } from './withdrawal.entity.js';

/** Returns why nothing can be decided about a withdrawal any more, with the last decision of staff about it. */
export async function alreadyEnded(tx: Tx, { id, status }: Pick<Withdrawal, 'id' | 'status'>): Promise<DomainError> {
  const last = await lastActionOn(tx, id);
  const said = last === null ? '' : ` Staff decided last ${last}.`;
  return new DomainError('invalid_state_transition', `The withdrawal is already ${status}.${said}`);
}
