import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Metrics } from '../../platform/metrics.js';
import { ThrottledLog } from '../../platform/throttled-log.js';
import { JobHandler } from '../../platform/queue/job-handler.js';
import { EarliestTimer } from './earliest-timer.js';
import type { Attempt } from './attempt.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { DeliveryClaimsService } from './delivery-claims.service.js';
import type { FreeSlots } from './delivery-claims.sql.js';
import { AttemptRecorder, type Recorded } from './attempt-recorder.service.js';
import { DeliverySender } from './delivery-sender.service.js';
import { SLOTS } from './endpoint-limits.js';
import { ReplaySignals } from './replay-signals.js';

/** The most slots that failing endpoints take together, so that dead endpoints always leave room for the others. */
const SLOTS_OF_FAILING = 256;

/**
 * A claim visits every waiting endpoint, however few deliveries it takes. With fewer free slots than this, the deliverer
 * waits a moment for more, so that a busy process claims many deliveries at once.
 */
const CLAIM_AT_ONCE = SLOTS / 2;
const CLAIM_PAUSE_MS = 5;

const POLL_MS = 1_000;
const DRAIN_MS = 10_000;
const OUTAGE_LOG_MS = 10_000;
/** Pauses between the tries to record an attempt. Their sum is shorter than the lease's margin. */
const RECORD_PAUSES_MS = [100, 400, 1_000, 2_000];

/**
 * Delivers due deliveries. PostgreSQL holds the due times: a wake-up only brings the next poll forward, and the poll every
 * second makes up for a lost wake-up.
 */
@Injectable()
export class DelivererService {
  private readonly logger = new Logger(DelivererService.name);
  private readonly outages = new ThrottledLog(OUTAGE_LOG_MS);
  private readonly inFlight = new Map<Promise<void>, ClaimedDelivery>();
  private readonly pollTimer = new EarliestTimer(() => {
    this.polling = this.poll();
  });
  private readonly refillTimer = new EarliestTimer(() => this.refill());
  private polling: Promise<void> | null = null;
  private claiming: Promise<void> | null = null;
  private wanted = false;
  private started = false;
  private stopping = false;

  constructor(
    private readonly claims: DeliveryClaimsService,
    private readonly sender: DeliverySender,
    private readonly records: AttemptRecorder,
    private readonly replays: ReplaySignals,
    private readonly metrics: Metrics,
  ) {}

  /** Starts to poll for due deliveries. */
  start(): void {
    this.started = true;
    this.replays.whenFed(() => this.refill());
    this.pollIn(0);
  }

  /** Stops claiming and waits up to 10 s for attempts in flight. Another process repeats those that have not ended. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.pollTimer.clear();
    this.refillTimer.clear();
    const patience = new AbortController();
    const ended = Promise.all([this.idle(), this.polling]);
    await Promise.race([ended, sleep(DRAIN_MS, undefined, { signal: patience.signal }).catch(() => undefined)]);
    patience.abort();
  }

  /** Starts attempts of due deliveries until none is left or no slot is free. Resolves while attempts are still in flight. */
  @JobHandler('webhooks.deliver')
  drain(): Promise<void> {
    this.wanted = true;
    // Without a free slot the next attempt that ends drains again.
    if (this.stopping || this.inFlight.size >= SLOTS) return Promise.resolve();
    this.claiming ??= this.claimWhileWanted();
    return this.claiming;
  }

  /** Resolves when no attempt is in flight and no claim is running. */
  async idle(): Promise<void> {
    while (this.inFlight.size > 0 || this.claiming !== null) {
      await Promise.allSettled([...this.inFlight.keys(), this.claiming]);
    }
  }

  /** Repeats the claim when `drain` was called meanwhile: the claim may have run before that caller's delivery committed. */
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
      // A slot of this process and of the endpoint is free for the next delivery.
      if (this.inFlight.size <= SLOTS - CLAIM_AT_ONCE) this.refill();
      else if (!this.stopping) this.refillTimer.fireIn(CLAIM_PAUSE_MS);
    });
    this.inFlight.set(run, delivery);
  }

  private refill(): void {
    this.drain().catch((error: unknown) => this.logOutage(error));
  }

  private async deliver(delivery: ClaimedDelivery): Promise<void> {
    const attempt = await this.sender.send(delivery);
    const recorded = await this.record(delivery, attempt);
    this.logAttempt(delivery, attempt, recorded);
    if (recorded === null) return;
    if (recorded.retryInMs !== null) this.pollIn(recorded.retryInMs);
    else if (delivery.replayJobId !== null) this.replays.ended();
  }

  /**
   * Records an attempt, with retries while the lease lasts, because the receiver may have acted on it. Returns null when
   * the database did not answer or the lease was lost: the delivery is then attempted again (at least once).
   */
  private async record(delivery: ClaimedDelivery, attempt: Attempt): Promise<Recorded | null> {
    for (const pauseMs of [...RECORD_PAUSES_MS, null]) {
      try {
        return await this.records.record(delivery, attempt);
      } catch (error) {
        this.logOutage(error);
        if (pauseMs !== null) await sleep(pauseMs);
      }
    }
    return null;
  }

  private pollIn(ms: number): void {
    if (this.started && !this.stopping) this.pollTimer.fireIn(ms);
  }

  /**
   * Drains if anything is due and schedules the next poll: when the next delivery becomes due, and within a second in any
   * case. At rest a poll is one statement.
   */
  private async poll(): Promise<void> {
    try {
      const { isChanged, isDue, dueInMs } = await this.claims.pollState();
      if (isChanged) await this.claims.applyEndpointChanges();
      if (isChanged || isDue) await this.drain();
      this.pollIn(Math.min(POLL_MS, dueInMs ?? POLL_MS));
    } catch (error) {
      this.logOutage(error);
      this.pollIn(POLL_MS);
    }
  }

  /** Logs one line per attempt, at level info: a receiver that fails is not an error of ours. */
  private logAttempt(delivery: ClaimedDelivery, attempt: Attempt, recorded: Recorded | null): void {
    if (recorded !== null) this.metrics.deliveries.attempted(recorded.result);
    this.logger.log({
      msg: 'A webhook was attempted.',
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

  private logOutage(error: unknown): void {
    this.outages.write((suppressedLines) =>
      this.logger.warn({
        msg: 'Webhook deliveries are waiting for the database.',
        suppressed_lines: suppressedLines,
        err: error,
      }),
    );
  }
}
