import type { JobsOptions } from 'bullmq';
import { withTimeout } from '../with-timeout.js';

const BULK_MAX = 500;
/** With this many different wakes waiting, the queue's server is down, and further ones are dropped to save memory. */
const WAITING_MAX = 10_000;
const CLOSE_TIMEOUT_MS = 2_000;

/** A job on its way into a queue. */
export interface JobToAdd {
  readonly name: string;
  readonly data: object;
  readonly opts: JobsOptions;
}

/** The part of a BullMQ queue that sends wakes. */
export interface WakeQueue {
  addBulk(jobs: JobToAdd[]): Promise<unknown>;
  close(): Promise<void>;
}

/** Receives the wakes that the queue's server did not accept, and the error. */
export type LossListener = (error: unknown, jobs: readonly JobToAdd[]) => void;

/**
 * Sends wakes to a queue, one bulk call at a time. Wakes that arrive during a call go with the next one, each key once. So
 * the caller never waits, and a busy moment costs few calls.
 */
export class WakeOutbox {
  private readonly waiting = new Map<string, JobToAdd>();
  /** The keys that were sent less than their pace ago, with the newest wake since. */
  private readonly paced = new Map<string, JobToAdd | null>();
  private sending: Promise<void> | null = null;
  private closed = false;

  constructor(
    private readonly queue: WakeQueue,
    private readonly onLoss: LossListener,
  ) {}

  /** Takes a wake. Of a key with a pace, it sends one at once, and one for all that come within the pace, at its end. */
  put(key: string, job: JobToAdd, paceMs?: number): void {
    if (this.closed) return;
    if (paceMs === undefined) {
      this.queueUp(key, job);
    } else if (this.paced.has(key)) {
      this.paced.set(key, job);
    } else {
      this.paced.set(key, null);
      this.queueUp(key, job);
      setTimeout(() => this.endPace(key, paceMs), paceMs).unref();
    }
  }

  private endPace(key: string, paceMs: number): void {
    const since = this.paced.get(key) ?? null;
    this.paced.delete(key);
    if (since !== null) this.put(key, since, paceMs);
  }

  private queueUp(key: string, job: JobToAdd): void {
    if (this.waiting.size >= WAITING_MAX && !this.waiting.has(key)) {
      this.onLoss(new Error(`Already ${WAITING_MAX} wakes are waiting.`), [job]);
      return;
    }
    this.waiting.set(key, job);
    this.sending ??= this.send();
  }

  /** Sends the rest, within 2 s, and closes the queue. */
  async close(): Promise<void> {
    this.closed = true;
    for (const [key, since] of this.paced) if (since !== null) this.queueUp(key, since);
    this.paced.clear();
    await withTimeout(
      Promise.resolve(this.sending).then(() => this.queue.close()),
      CLOSE_TIMEOUT_MS,
    );
  }

  private async send(): Promise<void> {
    // Sends the wakes of the caller's current turn together.
    await Promise.resolve();
    while (this.waiting.size > 0) await this.sendBatch();
    this.sending = null;
  }

  private async sendBatch(): Promise<void> {
    const batch = [...this.waiting].slice(0, BULK_MAX);
    for (const [key] of batch) this.waiting.delete(key);
    const jobs = batch.map(([, job]) => job);
    try {
      await this.queue.addBulk(jobs);
    } catch (error) {
      this.onLoss(error, jobs);
    }
  }
}
