import { InjectQueue } from '@nestjs/bullmq';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../logging.js';
import { Metrics } from '../metrics.js';
import { ThrottledLog } from '../throttled-log.js';
import type { JobWaker } from './job-waker.js';
import { JobRuns } from './job-runs.js';
import { JOB_QUEUES, type JobName, type Jobs, PACE_MS, type QueueName, wakeKey } from './jobs.js';
import { type JobToAdd, WakeOutbox, type WakeQueue } from './wake-outbox.js';

/**
 * Wakes workers after a transaction has committed. A wake never throws and never blocks its caller. A wake that the
 * queue's server does not accept is counted, logged, and run here if this process serves the queue. Otherwise a recurring
 * job in a process that serves the queue wakes it again. So work continues without the server.
 *
 * While a job waits, further wakes of the same key have no effect; a wake that arrives while it runs makes it run once more
 * afterwards. So a handler that reads its rows after its start sees every change that it was woken for.
 */
@Injectable()
export class JobQueue implements JobWaker, OnApplicationShutdown {
  private readonly outboxes: Record<QueueName, WakeOutbox>;
  private readonly throttle = new ThrottledLog();

  constructor(
    @InjectQueue('worker') worker: WakeQueue,
    @InjectQueue('vault') vault: WakeQueue,
    private readonly runs: JobRuns,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly metrics: Metrics,
  ) {
    const outboxOf = (name: QueueName, queue: WakeQueue): WakeOutbox =>
      new WakeOutbox(queue, (error, jobs) => this.takeOver(name, error, jobs));
    this.outboxes = { worker: outboxOf('worker', worker), vault: outboxOf('vault', vault) };
  }

  wake<N extends JobName>(name: N, data: Jobs[N]): void {
    this.wakeMany(name, [data]);
  }

  /** Wakes many jobs of one name, with one call to the queue per 500. */
  wakeMany<N extends JobName>(name: N, payloads: readonly Jobs[N][]): void {
    const outbox = this.outboxes[JOB_QUEUES[name]];
    for (const data of payloads) {
      const key = wakeKey(name, data);
      outbox.put(key, jobFor(key, name, data), PACE_MS[name]);
    }
  }

  /** Sends the remaining wakes for 2 s at most, and accepts no further ones. */
  async close(): Promise<void> {
    await Promise.all(Object.values(this.outboxes).map((outbox) => outbox.close()));
  }

  /** Runs after the server has finished its requests, and before the connections are closed. */
  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }

  private takeOver(queue: QueueName, error: unknown, jobs: readonly JobToAdd[]): void {
    this.metrics.queue.wakesLost(queue, jobs.length);
    this.throttle.write((suppressedLines) =>
      this.logger.error(
        { queue, wakes: jobs.length, suppressed_lines: suppressedLines, err: error },
        'The queue did not accept jobs. A recurring job will pick up the work.',
      ),
    );
    this.runs.runHere(queue, jobs);
  }
}

/**
 * A job without retries that is removed when it ends: PostgreSQL has the failures and the due times. It has a
 * deduplication key, because BullMQ adds jobs without one through a temporary table, which the service's role may not
 * create.
 */
function jobFor(key: string, name: JobName, data: object): JobToAdd {
  const opts = { attempts: 1, removeOnComplete: true, removeOnFail: true };
  return { name, data, opts: { ...opts, deduplication: { id: key, keepLastIfActive: true } } };
}
