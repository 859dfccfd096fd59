import { Injectable } from '@nestjs/common';
import type { DeliveryStatus } from '../../domain/delivery-status.js';
import { DomainError, notFound } from '../../domain/errors.js';
import { newId } from '../../domain/ids.js';
import { type Tx, afterCommit, sql } from '../../platform/database/database.js';
import { JobWaker } from '../../platform/queue/job-waker.js';
import type { WebhookScope } from '../endpoints/webhook-scope.js';

interface Retried {
  readonly id: string;
  readonly status: DeliveryStatus;
  readonly superseded: boolean;
  readonly in_flight: boolean;
  readonly endpoint_id: string;
  readonly is_enabled: boolean;
  readonly is_deleted: boolean;
}

/** Sends one delivery again as soon as possible, whatever its status. */
@Injectable()
export class DeliveryResend {
  constructor(private readonly queue: JobWaker) {}

  /**
   * Makes a waiting delivery due now, or begins a new series of attempts of the same event for a finished one. A delivery
   * in flight does not change. For a disabled endpoint the delivery is paused. Returns the id of the delivery that will be
   * sent; a new series has a new id.
   * @throws DomainError `not_found`, and `invalid_state_transition` for a superseded delivery or a deleted endpoint.
   */
  async sendAgain(tx: Tx, scope: WebhookScope, id: string): Promise<string> {
    const delivery = await lockDelivery(tx, scope, id);
    if (delivery.is_deleted) throw refusal('The webhook endpoint of this delivery was deleted.');
    if (delivery.superseded) throw refusal('A later series of attempts has superseded this delivery; retry that one.');
    if (delivery.in_flight) return id;
    afterCommit(tx, () => this.queue.wake('webhooks.deliver', {}));
    if (delivery.status !== 'pending' && delivery.status !== 'held') return beginSeries(tx, delivery);
    if (delivery.is_enabled) await makeDue(tx, id);
    return id;
  }
}

const refusal = (message: string): DomainError => new DomainError('invalid_state_transition', message);

/** Locks the delivery, so that a claim or a second retry waits and then sees the new state. */
async function lockDelivery(tx: Tx, { merchantId, environment }: WebhookScope, id: string): Promise<Retried> {
  const [delivery] = await sql<Retried>(
    tx,
    `select d.id, d.status, d.superseded, coalesce(d.lease_until > clock_timestamp(), false) as in_flight, d.endpoint_id,
            endpoint.enabled as is_enabled, endpoint.deleted_at is not null as is_deleted
       from delivery d join webhook_endpoint endpoint on endpoint.id = d.endpoint_id
      where d.id = $1 and ($2::text is null or d.merchant_id = $2) and ($3::text is null or d.environment = $3)
        for no key update of d`,
    [id, merchantId ?? null, environment ?? null],
  );
  if (delivery === undefined) throw notFound('delivery');
  return delivery;
}

/** A delivery that is already due keeps its place in the queue. */
async function makeDue(tx: Tx, id: string): Promise<void> {
  await sql(
    tx,
    `update delivery set status = 'pending', due_at = least(due_at, date_trunc('milliseconds', now())) where id = $1`,
    [id],
  );
}

async function beginSeries(tx: Tx, { id, endpoint_id, is_enabled }: Retried): Promise<string> {
  const begun = newId('dlv_');
  await sql(
    tx,
    `insert into delivery (id, event_id, endpoint_id, merchant_id, environment, series, status)
     select $2, event_id, endpoint_id, merchant_id, environment, series + 1, $3 from delivery where id = $1`,
    [id, begun, is_enabled ? 'pending' : 'held'],
  );
  // When the endpoint is enabled meanwhile, this flag is how the paused delivery is found and resumed.
  if (!is_enabled) await sql(tx, `update webhook_endpoint set holds = true where id = $1 and not holds`, [endpoint_id]);
  return begun;
}
