import type { EventType } from '../domain/event-type.js';
import type { Tenant } from '../domain/tenant.js';
import { given, unnest } from '../platform/sql/given.js';
import { sql } from '../platform/sql/sql.js';
import { columns, table, values } from '../platform/sql/table.js';
import { Event } from './event.entity.js';

const event = table(Event);
const recorded = given('recorded', {
  id: 'text',
  merchantId: 'text',
  environment: 'text',
  type: 'text',
  resourceId: 'text',
  data: 'text',
  traceparent: 'text',
});

/** An event as it is recorded. */
export interface RecordedEvent extends Tenant {
  readonly id: string;
  readonly type: EventType;
  readonly resourceId: string;
  /** JSON. */
  readonly data: string;
  readonly traceparent: string | null;
}

/** Inserts one event. */
export const insertEvent = (one: RecordedEvent) => sql`insert into ${event} ${values(event, one)}`;

/** Inserts events in their order. */
export const insertEvents = (events: readonly RecordedEvent[]) => sql`
  insert into ${event} ${columns(event, 'id', 'merchantId', 'environment', 'type', 'resourceId', 'data', 'traceparent')}
  select ${recorded.id}, ${recorded.merchantId}, ${recorded.environment}, ${recorded.type}, ${recorded.resourceId},
         ${recorded.data}, ${recorded.traceparent}
    from ${unnest(recorded, events)} order by ${recorded.nth}`;

/** Finds an event of a tenant that has its sequence. */
export const findEvent = (id: string, { merchantId, environment }: Tenant) => sql`
  select ${event.body.asNotNull('body')}, ${event.sequence.asNotNull('sequence')} from ${event}
   where ${event.id} = ${id} and ${event.merchantId} = ${merchantId} and ${event.environment} = ${environment}
     and ${event.sequence} is not null`;
