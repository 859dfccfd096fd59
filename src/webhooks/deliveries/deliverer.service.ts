import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Metrics } from '../../platform/metrics.js';
import { ThrottledLog } from '../../platform/throttled-log.js';
import { JobHandler } from '../../platform/queue/job-handler.js';
import { Alarm } from './alarm.js';
import type { Attempt } from './attempt.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { DeliveryClaimsService, type FreeSlots } from './delivery-claims.service.js';
import { DeliveryRecordsService, type Recorded } from './delivery-records.service.js';
import { DeliverySender } from './delivery-sender.service.js';

/** Deliveries in flight in this process. */
const SLOTS = 512;
/** Failing endpoints take no more than these, so that any number of dead ones leaves room for the others. */
const SLOTS_OF_FAILING = 256;

/**
 * A claim looks at every waiting endpoint, however few deliveries it takes. With fewer free slots than these it waits a
 * moment for more, so that a busy process claims many at once.
 */
const CLAIM_AT_ONCE = SLOTS / 2;
const CLAIM_PAUSE_MS = 5;

const POLL_MS = 1_000;
const DRAIN_MS = 10_000;
const OUTAGE_LOG_MS = 10_000;
/** Pauses between the tries to record an attempt; all of them together are shorter than the lease's margin. */
const RECORD_PAUSES_MS = [100, 400, 1_000, 2_000];

/**
 * Delivers what is due. PostgreSQL says what that is: a wake-up only brings the next look forward, and a look every
 * second finds what nobody was woken for.
 */
@Injectable()
export class DelivererService {
  private readonly logger = new Logger(DelivererService.name);
  private readonly outages = new ThrottledLog(OUTAGE_LOG_MS);
  private readonly inFlight = new Map<Promise<void>, ClaimedDelivery>();
  private readonly alarm = new Alarm(() => {
    this.looking = this.look();
  });
  private readonly refilling = new Alarm(() => this.refill());
  private looking: Promise<void> | null = null;
  private claiming: Promise<void> | null = null;
  private wanted = false;
  private started = false;
  private stopping = false;

  constructor(
    private readonly claims: DeliveryClaimsService,
    private readonly sender: DeliverySender,
    private readonly records: DeliveryRecordsService,
    private readonly metrics: Metrics,
  ) {}

  /** Begins to look for due deliveries by itself. */
  start(): void {
    this.started = true;
    this.lookIn(0);
  }

  /** Takes no further deliveries and waits for those under way, 10 s at most; the rest is attempted again elsewhere. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.alarm.clear();
    this.refilling.clear();
    const patience = new AbortController();
    const ended = Promise.all([this.idle(), this.looking]);
    await Promise.race([ended, sleep(DRAIN_MS, undefined, { signal: patience.signal }).catch(() => undefined)]);
    patience.abort();
  }

  /** Begins an attempt of everything that is due and fits; resolves when nothing more does, attempts still under way. */
  @JobHandler('webhooks.deliver')
  drain(): Promise<void> {
    this.wanted = true;
    // Without a free slot the next attempt that ends drains again.
    if (this.stopping || this.inFlight.size >= SLOTS) return Promise.resolve();
    this.claiming ??= this.claimWhileWanted();
    return this.claiming;
  }

  /** Resolves when no attempt is under way and none is about to be. */
  async idle(): Promise<void> {
    while (this.inFlight.size > 0 || this.claiming !== null) {
      await Promise.allSettled([...this.inFlight.keys(), this.claiming]);
    }
  }

  /** Whoever calls `drain` meanwhile makes the loop look once more, since it may have looked too early for them. */
  private async claimWhileWanted(): Promise<void> {
    try {
      while (this.wanted && !this.stopping && this.inFlight.size < SLOTS) {
        this.wanted = false;
        const claimed = await this.claims.claim(this.freeSlots());
        for (const delivery of claimed) this.launch(delivery);
      }
    } finally {
      this.claiming = null;
    }
  }

  private freeSlots(): FreeSlots {
    const failing = [...this.inFlight.values()].filter((delivery) => delivery.endpoint.failing).length;
    return { total: SLOTS - this.inFlight.size, failing: Math.max(0, SLOTS_OF_FAILING - failing) };
  }

  private launch(delivery: ClaimedDelivery): void {
    const run = this.deliver(delivery).finally(() => {
      this.inFlight.delete(run);
      // The slot, in this process and of the endpoint, is free for the next delivery.
      if (this.inFlight.size <= SLOTS - CLAIM_AT_ONCE) this.refill();
      else if (!this.stopping) this.refilling.ringIn(CLAIM_PAUSE_MS);
    });
    this.inFlight.set(run, delivery);
  }

  private refill(): void {
    this.drain().catch((error: unknown) => this.tellOutage(error));
  }

  private async deliver(delivery: ClaimedDelivery): Promise<void> {
    const attempt = await this.sender.send(delivery);
    const recorded = await this.record(delivery, attempt);
    this.tell(delivery, attempt, recorded);
    if (recorded !== null && recorded.retryInMs !== null) this.lookIn(recorded.retryInMs);
  }

  /**
   * The receiver may have acted on the attempt, so recording it is tried again while the lease lasts. Null when it was
   * not possible or not ours to do any more: the delivery is attempted again, for it is owed at least once.
   */
  private async record(delivery: ClaimedDelivery, attempt: Attempt): Promise<Recorded | null> {
    for (const pauseMs of [...RECORD_PAUSES_MS, null]) {
      try {
        return await this.records.record(delivery, attempt);
      } catch (error) {
        this.tellOutage(error);
        if (pauseMs !== null) await sleep(pauseMs);
      }
    }
    return null;
  }

  private lookIn(ms: number): void {
    if (this.started && !this.stopping) this.alarm.ringIn(ms);
  }

  /** One look round, and the next one planned: when something becomes due, and within a second in any case. */
  private async look(): Promise<void> {
    try {
      await this.claims.tidyStrays();
      await this.drain();
      this.lookIn(Math.min(POLL_MS, (await this.claims.nextDueInMs()) ?? POLL_MS));
    } catch (error) {
      this.tellOutage(error);
      this.lookIn(POLL_MS);
    }
  }

  /** One wide line per attempt. A receiver that fails is not an error of ours. */
  private tell(delivery: ClaimedDelivery, attempt: Attempt, recorded: Recorded | null): void {
    if (recorded !== null) this.metrics.deliveries.attempted(recorded.result);
    this.logger.log({
      msg: 'webhook attempt',
      delivery_id: delivery.id,
      event_id: delivery.eventId,
      endpoint_id: delivery.endpoint.id,
      attempt: delivery.attempt,
      result: recorded?.result ?? 'not_recorded',
      status: attempt.responseStatus,
      error: attempt.errorCode,
      duration_ms: attempt.durationMs,
      retry_in_ms: recorded?.retryInMs ?? null,
    });
  }

  private tellOutage(error: unknown): void {
    this.outages.write((heldBack) =>
      this.logger.warn({ msg: 'Webhook deliveries wait for the database.', held_back: heldBack, err: error }),
    );
  }
}
