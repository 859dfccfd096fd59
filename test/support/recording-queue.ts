import { createLogger } from '../../src/platform/logging.js';
import { Metrics } from '../../src/platform/metrics.js';
import { JobQueue } from '../../src/platform/queue/job-queue.js';
import { JobRuns } from '../../src/platform/queue/job-runs.js';
import type { JobToAdd } from '../../src/platform/queue/wake-outbox.js';

/** The real `JobQueue` over queues that only record their jobs. */
export class RecordingQueue {
  readonly jobs: JobToAdd[] = [];
  readonly queue: JobQueue;

  constructor() {
    const recording = {
      addBulk: async (jobs: readonly JobToAdd[]) => this.jobs.push(...jobs),
      close: () => Promise.resolve(),
    };
    const logger = createLogger('silent');
    this.queue = new JobQueue(recording, recording, new JobRuns(logger), logger, new Metrics());
  }

  /** Payloads of the jobs of one name, once the wakes of this turn have been sent. */
  async woken(name: string): Promise<object[]> {
    await new Promise(setImmediate);
    return this.jobs.filter((job) => job.name === name).map((job) => job.data);
  }
}
