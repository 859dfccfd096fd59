import { withTimeout } from '../with-timeout.js';
import type { BackendQueue, JobToAdd } from './queue-backend.js';

const BULK_MAX = 500;
/** Beyond this many different wakes the queue's server is out of reach, and memory is worth more than wakes. */
const WAITING_MAX = 10_000;
const CLOSE_TIMEOUT_MS = 2_000;

/** Told which wakes the queue's server did not take, and why. */
export type LossListener = (error: unknown, jobs: readonly JobToAdd[]) => void;

/**
 * Carries wakes to a queue, one bulk call at a time: what is put in meanwhile goes with the next call, and the same key
 * twice only once. So the caller never waits, and a busy moment costs few calls.
 */
export class WakeOutbox {
  private readonly waiting = new Map<string, JobToAdd>();
  private sending: Promise<void> | null = null;
  private closed = false;

  constructor(
    private readonly queue: BackendQueue,
    private readonly onLoss: LossListener,
  ) {}

  put(key: string, job: JobToAdd): void {
    if (this.closed) return;
    if (this.waiting.size >= WAITING_MAX && !this.waiting.has(key)) {
      this.onLoss(new Error(`${WAITING_MAX} wakes wait already.`), [job]);
      return;
    }
    this.waiting.set(key, job);
    this.sending ??= this.send();
  }

  /** Sends the rest, within 2 s, and closes the queue. */
  async close(): Promise<void> {
    this.closed = true;
    await withTimeout(
      Promise.resolve(this.sending).then(() => this.queue.close()),
      CLOSE_TIMEOUT_MS,
    );
  }

  private async send(): Promise<void> {
    // The wakes of the caller's current turn travel together.
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
