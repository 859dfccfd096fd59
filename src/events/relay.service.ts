import { Inject, Injectable } from '@nestjs/common';
import type { EventType } from '../domain/event-type.js';
import type { Environment } from '../domain/network.js';
import { Database, type Tx, sql } from '../platform/database/database.js';
import { failpoint } from '../platform/failpoints.js';
import { JobHandler } from '../platform/queue/job-handler.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';
import { DELIVERY_FANOUT, type DeliveryFanout } from './delivery-fanout.js';
import { envelopeText } from './event-envelope.js';

const BATCH_EVENTS = 500;
/** Bodies are built in memory, so the size of a batch is limited too. */
const BATCH_CHARACTERS = 8_000_000;

interface UnsequencedEvent {
  readonly id: string;
  readonly merchant_id: string;
  readonly environment: Environment;
  readonly type: EventType;
  readonly data: string;
  readonly created_at: string;
}

/** An event with its sequence number. */
type NumberedEvent = UnsequencedEvent & { readonly sequence: number };

/** Assigns committed events their sequence and body, and fans them out: exactly once, in order, without gaps. */
@Injectable()
export class RelayService {
  constructor(
    private readonly database: Database,
    @Inject(DELIVERY_FANOUT) private readonly fanout: DeliveryFanout,
  ) {}

  /** Relays until no event waits; returns how many it relayed. Any number of processes may call it at any time. */
  @RecurringJob({ role: 'worker', every: 5_000, atOnce: true })
  @JobHandler('events.relay')
  async relay(): Promise<number> {
    let total = 0;
    for (;;) {
      const relayed = await this.database.transaction((tx) => this.relayBatch(tx));
      total += relayed;
      if (relayed === 0) return total;
    }
  }

  private async relayBatch(tx: Tx): Promise<number> {
    await takeTurn(tx);
    const events = await nextUnsequenced(tx);
    if (events.length === 0) return 0;
    const numbered = await number(tx, events);
    await this.fanout.fanOut(
      tx,
      numbered.map((event) => event.id),
    );
    failpoint('outbox.enqueued_before_mark');
    await mark(tx, numbered);
    return events.length;
  }
}

/**
 * Waits until no other process relays. The lock belongs to the transaction that writes, which fences better than a lease:
 * a paused relay cannot write after another has taken over, because it loses the lock only with its transaction. It waits
 * instead of trying, because the holder may have read before our event was committed. It is a separate statement, so that
 * the next one sees the writes of the previous holder.
 */
async function takeTurn(tx: Tx): Promise<void> {
  await sql(tx, `select pg_advisory_xact_lock(hashtextextended($1, 0))`, ['coffer:events.relay']);
}

function nextUnsequenced(tx: Tx): Promise<UnsequencedEvent[]> {
  return sql<UnsequencedEvent>(
    tx,
    `select id, merchant_id, environment, type, data,
            to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
       from (select event.*, sum(length(data)) over (order by position) - length(data) as before_it
               from (select * from event where sequence is null order by position limit $1) event) waiting
      where before_it < $2 order by position`,
    [BATCH_EVENTS, BATCH_CHARACTERS],
  );
}

const tenantOf = (row: Pick<UnsequencedEvent, 'merchant_id' | 'environment'>): string =>
  `${row.merchant_id}/${row.environment}`;

/** Advances the counter of every tenant, and numbers its events in the order of `position`. */
async function number(tx: Tx, events: readonly UnsequencedEvent[]): Promise<NumberedEvent[]> {
  const counters = await sql<{ merchant_id: string; environment: Environment; last_sequence: string }>(
    tx,
    `insert into event_counter as counter (merchant_id, environment, last_sequence)
     select merchant_id, environment, count(*)
       from unnest($1::text[], $2::text[]) as batch (merchant_id, environment)
      group by merchant_id, environment
     on conflict (merchant_id, environment)
       do update set last_sequence = counter.last_sequence + excluded.last_sequence
     returning merchant_id, environment, last_sequence`,
    [events.map((event) => event.merchant_id), events.map((event) => event.environment)],
  );
  const last = new Map(counters.map((counter) => [tenantOf(counter), Number(counter.last_sequence)]));
  // Backwards, because the counters hold the last number of each tenant.
  const newestFirst = events.toReversed().map((event) => {
    const sequence = last.get(tenantOf(event)) ?? 0;
    last.set(tenantOf(event), sequence - 1);
    return { ...event, sequence };
  });
  return newestFirst.toReversed();
}

async function mark(tx: Tx, events: readonly NumberedEvent[]): Promise<void> {
  await sql(
    tx,
    `update event set sequence = numbered.sequence, body = numbered.body
       from unnest($1::text[], $2::bigint[], $3::text[]) as numbered (id, sequence, body)
      where event.id = numbered.id`,
    [
      events.map((event) => event.id),
      events.map((event) => event.sequence),
      events.map((event) => envelopeText({ ...event, createdAt: event.created_at })),
    ],
  );
}
