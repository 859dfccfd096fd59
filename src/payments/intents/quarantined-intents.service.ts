import { Injectable } from '@nestjs/common';
import { DomainError, notFound } from '../../domain/errors.js';
import type { Environment } from '../../domain/network.js';
import { lastActionOn, recordAction, type StaffOrder } from '../../platform/audit-trail.js';
import type { Tx } from '../../platform/database/database.js';
import { DirtyIntent } from './dirty-intent.entity.js';
import { markDirty } from './dirty-intents.js';
import { PaymentIntent } from './payment-intent.entity.js';

/** Intents whose settlement failed too often. */
@Injectable()
export class QuarantinedIntents {
  /**
   * Lets a worker settle an intent again within seconds.
   * @throws DomainError not_found; invalid_state_transition when it is not quarantined
   */
  async retry(tx: Tx, environment: Environment, id: string, order: StaffOrder): Promise<void> {
    if ((await tx.count(PaymentIntent, { id, environment })) === 0) throw notFound('payment intent');
    const mark = await tx.findOne(
      DirtyIntent,
      { intentId: id, quarantinedAt: { $ne: null } },
      { disableIdentityMap: true },
    );
    if (mark === null) {
      const last = await lastActionOn(tx, id);
      const said = last === null ? '' : ` Staff acted on it last ${last}.`;
      throw new DomainError('invalid_state_transition', `The settlement of the intent is not quarantined.${said}`);
    }
    await markDirty(tx, [id]);
    const details = { error: mark.lastError ?? 'unknown' };
    await recordAction(tx, { ...order, action: 'payment_intent.retry', subject: id, details });
  }
}
