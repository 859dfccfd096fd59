import {
  type IQueueBackend,
  type JobProgress,
  type Processor,
  Queue,
  type QueueOptions,
  Worker,
  type WorkerOptions,
} from 'bullmq';
import { withTimeout } from '../with-timeout.js';
import type { QueueBackend } from './queue-backend.js';

const CLOSE_TIMEOUT_MS = 2_000;

/**
 * A BullMQ queue over the backend that its options name as the connection. BullMQ itself has one default backend for all
 * queues of a process.
 */
export class BackendQueue extends Queue<object, void, string, object, void, string, IQueueBackend, QueueBackend> {
  constructor(name: string, options: QueueOptions<QueueBackend>) {
    super(name, options, options.connection.connectQueue);
    this.on('error', options.connection.onError);
  }

  /** Closes the queue within 2 s. */
  override async close(): Promise<void> {
    await withTimeout(super.close(), CLOSE_TIMEOUT_MS);
  }
}

/** A BullMQ worker over the backend that its options name as the connection. */
export class BackendWorker extends Worker<object, void, string, IQueueBackend, JobProgress, QueueBackend> {
  private firstClose: Promise<void> | null = null;

  constructor(name: string, processor: Processor<object, void>, options: WorkerOptions<QueueBackend>) {
    super(name, processor, options, options.connection.connectWorker);
    this.on('error', options.connection.onError);
  }

  /**
   * Waits for the running jobs, unless the server is away: then the wait would never end. Further calls wait for 2 s at most. Nest
   * closes the workers again after `JobRuns` has waited for them, and the server may vanish meanwhile.
   */
  override async close(force = !this.opts.connection.isConnected()): Promise<void> {
    if (this.firstClose !== null) return void (await withTimeout(this.firstClose, CLOSE_TIMEOUT_MS));
    this.firstClose = super.close(force);
    await this.firstClose;
  }
}
