import { Injectable } from '@nestjs/common';
import type { EventType } from '../domain/event-type.js';
import { newId } from '../domain/ids.js';
import type { Tenant } from '../domain/tenant.js';
import { afterCommit, rows, type Tx } from '../platform/database/database.js';
import { JobWaker } from '../platform/queue/job-waker.js';
import { insertEvent, insertEvents, type RecordedEvent } from './events.sql.js';

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
  async record(tx: Tx, event: NewEvent): Promise<string> {
    const recorded = recordedOf(event);
    await rows(tx, insertEvent(recorded));
    this.wakeAfter(tx);
    return recorded.id;
  }

  /** Records events likewise, all in one statement and in their order. */
  async recordAll(tx: Tx, events: readonly NewEvent[]): Promise<void> {
    await rows(tx, insertEvents(events.map(recordedOf)));
    this.wakeAfter(tx);
  }

  private wakeAfter(tx: Tx): void {
    afterCommit(tx, () => this.queue.wake('events.relay', {}));
  }
}

const recordedOf = ({ tenant, type, resourceId, data, traceparent }: NewEvent): RecordedEvent => ({
  id: newId('evt_'),
  merchantId: tenant.merchantId,
  environment: tenant.environment,
  type,
  resourceId,
  data: JSON.stringify(data),
  traceparent: traceparent ?? null,
});
