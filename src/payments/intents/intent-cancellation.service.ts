import { Injectable } from '@nestjs/common';
import { DomainError, notFound } from '../../domain/errors.js';
import { INTENT_TRANSITIONS, isPayment } from '../../domain/intent-state.js';
import { EventsService } from '../../events/events.service.js';
import { row, rows, type Tx } from '../../platform/database/database.js';
import { entityOf } from '../../platform/database/entity-of.js';
import { depositsOf } from './intent-deposits.js';
import { IntentReader } from './intent-reader.service.js';
import { PaymentIntent } from './payment-intent.entity.js';
import type { PaymentIntentObject } from './payment-intent.schema.js';
import { lockIntent, moveIntent } from './payment-intents.sql.js';
import { paymentStateOf } from './payment-state.js';

/** Cancels intents by the system: staff can, merchants cannot, as long as nothing has been paid. */
@Injectable()
export class IntentCancellation {
  constructor(
    private readonly events: EventsService,
    private readonly reader: IntentReader,
  ) {}

  /**
   * Cancels an open intent without a payment; dust is none. Money that arrives later is still booked, as late.
   * @throws DomainError not_found, invalid_state_transition
   */
  async cancel(tx: Tx, intentId: string): Promise<PaymentIntentObject> {
    const [found] = await rows(tx, lockIntent(intentId));
    if (found === undefined) throw notFound('payment intent');
    const intent = entityOf(tx, PaymentIntent, found);
    if (!INTENT_TRANSITIONS[intent.status].includes('cancelled')) {
      throw new DomainError('invalid_state_transition', `A payment intent that is ${intent.status} stays so.`);
    }
    const deposits = (await depositsOf(tx, [intentId])).get(intentId) ?? [];
    const onChain = deposits.filter((deposit) => paymentStateOf(deposit) !== 'orphaned');
    const arrived = onChain.reduce((total, { amount }) => total + amount, 0n);
    if (isPayment(arrived, intent)) {
      throw new DomainError('invalid_state_transition', 'A payment intent that was paid into cannot be cancelled.');
    }
    const cancelled = await row(tx, moveIntent(intentId, 'cancelled'));
    const presented = await this.reader.present(tx, entityOf(tx, PaymentIntent, cancelled));
    const tenant = { merchantId: intent.merchantId, environment: intent.environment };
    await this.events.record(tx, {
      tenant,
      type: 'payment_intent.cancelled',
      resourceId: intentId,
      data: presented,
    });
    return presented;
  }
}
