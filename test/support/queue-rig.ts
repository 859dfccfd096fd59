import { createLogger } from '../../src/platform/logging.js';
import { Metrics } from '../../src/platform/metrics.js';
import { JobQueue } from '../../src/platform/queue/job-queue.js';
import { type AnyHandler, JobWorkers } from '../../src/platform/queue/job-workers.js';
import type { JobName, Jobs, QueueName } from '../../src/platform/queue/jobs.js';
import { openQueueBackend, type QueueLocation } from '../../src/platform/queue/open-queue-backend.js';
import type { QueueBackend } from '../../src/platform/queue/queue-backend.js';
import { LogLines } from './log-lines.js';

const CONCURRENCY = 16;

/** Handlers of some of the jobs. */
export type Handlers = { readonly [N in JobName]?: (data: Jobs[N]) => Promise<void> };

const handlersOf = (handlers: object): Record<string, AnyHandler> => Object.fromEntries(Object.entries(handlers));

/** The queue and the workers of one process. */
export class QueueRig {
  readonly queue: JobQueue;
  readonly workers: JobWorkers;

  private closed: Promise<void> | null = null;

  private constructor(
    readonly backend: QueueBackend,
    readonly log: LogLines,
    readonly metrics: Metrics,
  ) {
    const logger = createLogger('info', { destination: log });
    this.workers = new JobWorkers(backend, logger);
    this.queue = new JobQueue(backend, this.workers, logger, metrics);
  }

  static async open(location: QueueLocation): Promise<QueueRig> {
    const log = new LogLines();
    const backend = await openQueueBackend(location, createLogger('info', { destination: log }));
    return new QueueRig(backend, log, new Metrics());
  }

  /** Serves the queue `worker` or `vault` with handlers for some of its jobs. */
  async serve(handlers: Handlers, concurrency = CONCURRENCY, queue: QueueName = 'worker'): Promise<void> {
    await this.workers.start(queue, handlersOf(handlers), concurrency);
  }

  /** Disconnects from the server, even while jobs run. */
  close(): Promise<void> {
    this.closed ??= this.closeAll();
    return this.closed;
  }

  private async closeAll(): Promise<void> {
    await this.queue.close();
    await this.workers.close(100);
    await this.backend.close();
  }
}

/** A gate that blocks until it is opened. */
export function gate(): { readonly passed: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: resolve };
}
