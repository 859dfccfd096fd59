import { Injectable } from '@nestjs/common';
import { ALL_EVENT_TYPES } from '../../domain/event-type.js';
import { newId } from '../../domain/ids.js';
import type { Environment } from '../../domain/network.js';
import type { DeliveryFanout } from '../../events/delivery-fanout.js';
import { type Tx, afterCommit, sql } from '../../platform/database/database.js';
import { JobWaker } from '../../platform/queue/job-waker.js';

/** Creates a delivery of each event for every endpoint that subscribes to it. */
@Injectable()
export class DeliveryFanoutService implements DeliveryFanout {
  constructor(private readonly queue: JobWaker) {}

  async fanOut(tx: Tx, eventIds: readonly string[]): Promise<void> {
    const owed = await owedDeliveries(tx, eventIds);
    if (owed.length === 0) return;
    await sql(
      tx,
      `insert into delivery (id, event_id, endpoint_id, merchant_id, environment, status)
       select id, event_id, endpoint_id, merchant_id, environment, 'pending'
         from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
           as owed (id, event_id, endpoint_id, merchant_id, environment)`,
      [
        owed.map(() => newId('dlv_')),
        owed.map((row) => row.event_id),
        owed.map((row) => row.endpoint_id),
        owed.map((row) => row.merchant_id),
        owed.map((row) => row.environment),
      ],
    );
    afterCommit(tx, () => this.queue.wake('webhooks.deliver', {}));
  }
}

interface OwedDelivery {
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly merchant_id: string;
  readonly environment: Environment;
}

/** A `ping` goes only to the endpoint it names. An endpoint receives no event that is older than the endpoint. */
function owedDeliveries(tx: Tx, eventIds: readonly string[]): Promise<OwedDelivery[]> {
  return sql(
    tx,
    `select event.id as event_id, endpoint.id as endpoint_id, event.merchant_id, event.environment
       from event
       join webhook_endpoint endpoint
         on endpoint.merchant_id = event.merchant_id and endpoint.environment = event.environment
      where event.id = any($1) and endpoint.enabled and endpoint.deleted_at is null
        and endpoint.created_at <= event.created_at
        and case when event.type = 'ping' then endpoint.id = event.resource_id
                 else endpoint.event_types && array[event.type, $2] end
      order by event.position, endpoint.id`,
    [eventIds, ALL_EVENT_TYPES],
  );
}
