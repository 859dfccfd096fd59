import { createLogger } from '../../src/platform/logging.js';
import { Metrics } from '../../src/platform/metrics.js';
import { JobQueue } from '../../src/platform/queue/job-queue.js';
import { JobWorkers } from '../../src/platform/queue/job-workers.js';
import type { JobToAdd, QueueBackend } from '../../src/platform/queue/queue-backend.js';

/** The real queue over a backend that only records its jobs. */
export class RecordingQueue {
  readonly jobs: JobToAdd[] = [];
  readonly queue: JobQueue;

  constructor() {
    const backend: QueueBackend = {
      openQueue: () => ({
        addBulk: async (jobs) => this.jobs.push(...jobs),
        close: () => Promise.resolve(),
      }),
      openWorker: () => {
        throw new Error('This backend has no workers.');
      },
      ping: () => Promise.resolve(),
      close: () => Promise.resolve(),
    };
    const logger = createLogger('silent');
    this.queue = new JobQueue(backend, new JobWorkers(backend, logger), logger, new Metrics());
  }

  /** Payloads of the jobs of one name, once the wakes of this turn have been sent. */
  async woken(name: string): Promise<object[]> {
    await new Promise(setImmediate);
    return this.jobs.filter((job) => job.name === name).map((job) => job.data);
  }
}
