import { Injectable } from '@nestjs/common';
import type { EventType } from '../domain/event-type.js';
import { newId } from '../domain/ids.js';
import type { Tenant } from '../domain/tenant.js';
import { type Tx, afterCommit, sql } from '../platform/database/database.js';
import { JobWaker } from '../platform/queue/job-waker.js';

/** An event to record. */
export interface NewEvent {
  readonly tenant: Tenant;
  readonly type: EventType;
  /** Id of the resource of the event; for a `ping`, the id of the endpoint. */
  readonly resourceId: string;
  /** The resource as the API presents it at this moment. */
  readonly data: object;
  /** The W3C trace of the request behind the event, passed on to its deliveries. */
  readonly traceparent?: string | undefined;
}

/** Records events in the transaction that makes them true, so that neither exists without the other. */
@Injectable()
export class EventsService {
  constructor(private readonly queue: JobWaker) {}

  /** Records an event in the caller's transaction and wakes the relay once it has committed. Returns the event's id. */
  async record(tx: Tx, { tenant, type, resourceId, data, traceparent }: NewEvent): Promise<string> {
    const id = newId('evt_');
    await sql(
      tx,
      `insert into event (id, merchant_id, environment, type, resource_id, data, traceparent)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [id, tenant.merchantId, tenant.environment, type, resourceId, JSON.stringify(data), traceparent ?? null],
    );
    this.wakeAfter(tx);
    return id;
  }

  /** Records events likewise, all in one statement and in their order. */
  async recordAll(tx: Tx, events: readonly NewEvent[]): Promise<void> {
    await sql(
      tx,
      `insert into event (id, merchant_id, environment, type, resource_id, data, traceparent)
       select id, merchant_id, environment, type, resource_id, data, traceparent
         from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
           with ordinality as event (id, merchant_id, environment, type, resource_id, data, traceparent, nth)
        order by nth`,
      [
        events.map(() => newId('evt_')),
        events.map(({ tenant }) => tenant.merchantId),
        events.map(({ tenant }) => tenant.environment),
        events.map(({ type }) => type),
        events.map(({ resourceId }) => resourceId),
        events.map(({ data }) => JSON.stringify(data)),
        events.map(({ traceparent }) => traceparent ?? null),
      ],
    );
    this.wakeAfter(tx);
  }

  private wakeAfter(tx: Tx): void {
    afterCommit(tx, () => this.queue.wake('events.relay', {}));
  }
}
