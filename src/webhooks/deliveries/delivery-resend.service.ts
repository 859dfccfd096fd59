import { Injectable } from '@nestjs/common';
import { DomainError, notFound } from '../../domain/errors.js';
import { newId } from '../../domain/ids.js';
import { type Tx, afterCommit, rows } from '../../platform/database/database.js';
import { JobWaker } from '../../platform/queue/job-waker.js';
import type { WebhookScope } from '../endpoints/webhook-scope.js';
import { beginSeries, type LockedDelivery, lockDelivery, makeDue, noteHeld } from './delivery-resend.sql.js';

/** Sends one delivery again as soon as possible, whatever its status. */
@Injectable()
export class DeliveryResend {
  constructor(private readonly queue: JobWaker) {}

  /**
   * Makes a waiting delivery due now, or begins a new series of attempts of the same event for a finished one. A delivery
   * in flight does not change. For a disabled endpoint the delivery is paused. Returns the id of the delivery that will be
   * sent; a new series has a new id. `replayJobId` is the job of staff that sends it.
   * @throws DomainError `not_found`, and `invalid_state_transition` for a superseded delivery or a deleted endpoint.
   */
  async sendAgain(tx: Tx, scope: WebhookScope, id: string, replayJobId?: string): Promise<string> {
    const delivery = await findLocked(tx, scope, id);
    if (delivery.isDeleted) throw refusal('The webhook endpoint of this delivery was deleted.');
    if (delivery.superseded) throw refusal('A later series of attempts has superseded this delivery; retry that one.');
    if (delivery.isInFlight) return id;
    afterCommit(tx, () => this.queue.wake('webhooks.deliver', {}));
    if (delivery.status !== 'pending' && delivery.status !== 'held') return beginNext(tx, delivery, replayJobId);
    if (delivery.isEnabled) await rows(tx, makeDue(id, replayJobId));
    return id;
  }
}

const refusal = (message: string): DomainError => new DomainError('invalid_state_transition', message);

async function findLocked(tx: Tx, scope: WebhookScope, id: string): Promise<LockedDelivery> {
  const [delivery] = await rows(tx, lockDelivery(scope, id));
  if (delivery === undefined) throw notFound('delivery');
  return delivery;
}

async function beginNext(
  tx: Tx,
  { id, endpointId, isEnabled }: LockedDelivery,
  replayJobId: string | undefined,
): Promise<string> {
  const begun = newId('dlv_');
  await rows(tx, beginSeries(id, { begun, status: isEnabled ? 'pending' : 'held', replayJobId }));
  // When the endpoint is enabled meanwhile, this flag is how the paused delivery is found and resumed.
  if (!isEnabled) await rows(tx, noteHeld(endpointId));
  return begun;
}
