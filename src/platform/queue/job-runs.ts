import { Inject, Injectable } from '@nestjs/common';
import { type Job, WaitingError } from 'bullmq';
import type { Logger } from 'pino';
import { LOGGER } from '../logging.js';
import { withTimeout } from '../with-timeout.js';
import type { QueueName } from './jobs.js';
import { LocalRuns } from './local-runs.js';
import type { JobToAdd } from './wake-outbox.js';

const DRAIN_MS = 10_000;
const HAND_BACK_MS = 1_000;

/** Handles a job, given its payload. */
export type AnyHandler = (data: unknown) => Promise<unknown>;

interface RunningJob {
  readonly ended: Promise<void>;
  /** Stops waiting for the handler and puts the job back into the queue. */
  handBack(): void;
}

/** A served queue: its handlers, and the jobs that the queue's server did not accept. */
interface Service {
  readonly handlers: ReadonlyMap<string, AnyHandler>;
  readonly local: LocalRuns;
}

/** The runs of jobs in this process. */
@Injectable()
export class JobRuns {
  private readonly services = new Map<string, Service>();
  private readonly running = new Map<Job, RunningJob>();

  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  /** Sets the handlers of a queue, and how many jobs run at a time that its server did not accept. */
  serve(queue: QueueName, handlers: Readonly<Record<string, AnyHandler>>, concurrency: number): void {
    this.services.set(queue, { handlers: new Map(Object.entries(handlers)), local: new LocalRuns(concurrency) });
  }

  /**
   * Runs a job that a worker received. When its handler throws, the error is logged and the job is removed: its work stays
   * due in PostgreSQL.
   */
  async run(job: Job, token: string | undefined): Promise<void> {
    const handler = this.services.get(job.queueName)?.handlers.get(job.name);
    if (handler === undefined) {
      // Another version of the service has a handler; its recurring job will wake it again.
      this.logger.warn({ job: job.name, data: dataOf(job) }, 'This version has no handler for the job.');
      return;
    }
    const ended = this.handle(job.name, dataOf(job), handler);
    const handedBack = Promise.withResolvers<'handed back'>();
    this.running.set(job, { ended, handBack: () => handedBack.resolve('handed back') });
    const outcome = await Promise.race([ended, handedBack.promise]);
    this.running.delete(job);
    if (outcome === undefined) return;
    await job.moveToWait(token);
    throw new WaitingError();
  }

  /** Runs jobs locally that the queue's server did not accept. Does nothing when this process does not serve the queue. */
  runHere(queue: QueueName, jobs: readonly JobToAdd[]): void {
    const service = this.services.get(queue);
    if (service === undefined) return;
    for (const { name, data, opts } of jobs) {
      const handler = service.handlers.get(name);
      const key = opts.deduplication?.id ?? name;
      if (handler !== undefined) service.local.add(key, () => this.handle(name, data, handler));
    }
  }

  /** Accepts no further jobs and waits for the running ones; after `drainMs` they are returned to the queue. */
  async close(workers: readonly { close(): Promise<void> }[], drainMs = DRAIN_MS): Promise<void> {
    const local = [...this.services.values()].map((service) => service.local.close());
    const closed = Promise.all([...local, ...workers.map((worker) => worker.close())]);
    const ended = [...this.running.values()].map((job) => job.ended);
    if (await withTimeout(Promise.all([closed, ...ended]), drainMs)) return;
    const jobs = [...this.running.keys()].map((job) => ({ name: job.name, data: dataOf(job) }));
    this.logger.warn({ jobs }, `Jobs were still running after ${drainMs} ms and were returned to the queue.`);
    for (const job of this.running.values()) job.handBack();
    await withTimeout(closed, HAND_BACK_MS);
  }

  private async handle(name: string, data: unknown, handler: AnyHandler): Promise<void> {
    try {
      await handler(data);
    } catch (error) {
      this.logger.error({ job: name, data, err: error }, 'A job failed.');
    }
  }
}

const dataOf = ({ data }: Job<unknown>): unknown => data;
