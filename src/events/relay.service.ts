import { Inject, Injectable } from '@nestjs/common';
import type { Tenant } from '../domain/tenant.js';
import { Database, rows, type Tx } from '../platform/database/database.js';
import { failpoint } from '../platform/failpoints.js';
import { JobHandler } from '../platform/queue/job-handler.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';
import type { RowOf } from '../platform/sql/sql.js';
import { DELIVERY_FANOUT, type DeliveryFanout } from './delivery-fanout.js';
import { envelopeText } from './event-envelope.js';
import { advanceCounters, nextUnsequenced, numberEvents, takeRelayTurn } from './relay.sql.js';

const BATCH_EVENTS = 500;
/** Bodies are built in memory, so the size of a batch is limited too. */
const BATCH_CHARACTERS = 8_000_000;

type UnsequencedEvent = RowOf<typeof nextUnsequenced>;

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
    await rows(tx, takeRelayTurn);
    const events = await rows(tx, nextUnsequenced(BATCH_EVENTS, BATCH_CHARACTERS));
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

const tenantOf = ({ merchantId, environment }: Tenant): string => `${merchantId}/${environment}`;

/** Advances the counter of every tenant, and numbers its events in the order of `position`. */
async function number(tx: Tx, events: readonly UnsequencedEvent[]): Promise<NumberedEvent[]> {
  const counters = await rows(tx, advanceCounters(events));
  const last = new Map(counters.map((counter) => [tenantOf(counter), Number(counter.lastSequence)]));
  // Backwards, because the counters hold the last number of each tenant.
  const newestFirst = events.toReversed().map((event) => {
    const sequence = last.get(tenantOf(event)) ?? 0;
    last.set(tenantOf(event), sequence - 1);
    return { ...event, sequence };
  });
  return newestFirst.toReversed();
}

async function mark(tx: Tx, events: readonly NumberedEvent[]): Promise<void> {
  await rows(tx, numberEvents(events.map((event) => ({ ...event, body: envelopeText(event) }))));
}
