import { Inject, Injectable } from '@nestjs/common';
import { WaitingError } from 'bullmq';
import type { Logger } from 'pino';
import { LOGGER } from '../logging.js';
import { withTimeout } from '../with-timeout.js';
import type { QueueName } from './jobs.js';
import { LocalRuns } from './local-runs.js';
import {
  type BackendWorker,
  type JobToAdd,
  QUEUE_BACKEND,
  type QueueBackend,
  type ReceivedJob,
} from './queue-backend.js';

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

/** Runs the jobs of the queues that this process serves. */
@Injectable()
export class JobWorkers {
  private readonly services = new Map<QueueName, Service>();
  private readonly workers: BackendWorker[] = [];
  private readonly running = new Map<ReceivedJob, RunningJob>();

  constructor(
    @Inject(QUEUE_BACKEND) private readonly backend: QueueBackend,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Starts to serve a queue, with up to `concurrency` jobs at a time and never two of one key. When a handler throws, the
   * error is logged and the job is removed: its work stays due in PostgreSQL. Resolves when the worker is connected.
   */
  async start(queue: QueueName, handlers: Readonly<Record<string, AnyHandler>>, concurrency: number): Promise<void> {
    const byName = new Map(Object.entries(handlers));
    this.services.set(queue, { handlers: byName, local: new LocalRuns(concurrency) });
    const worker = this.backend.openWorker(
      queue,
      (job, token) => this.run(job, token, byName.get(job.name)),
      concurrency,
    );
    this.workers.push(worker);
    await worker.waitUntilReady();
  }

  /** Runs jobs locally that the queue's server did not accept. Does nothing when this process does not serve the queue. */
  runHere(queue: QueueName, jobs: readonly JobToAdd[]): void {
    const service = this.services.get(queue);
    if (service === undefined) return;
    for (const { name, data, opts } of jobs) {
      const handler = service.handlers.get(name);
      const key = opts.deduplication?.id ?? name;
      if (handler !== undefined) service.local.add(key, () => this.handle({ name, data }, handler));
    }
  }

  /** Accepts no further jobs and waits for the running ones; after `drainMs` they are returned to the queue. */
  async close(drainMs = DRAIN_MS): Promise<void> {
    const local = [...this.services.values()].map((service) => service.local.close());
    const closed = Promise.all([...local, ...this.workers.map((worker) => worker.close())]);
    const ended = [...this.running.values()].map((job) => job.ended);
    if (await withTimeout(Promise.all([closed, ...ended]), drainMs)) return;
    const jobs = [...this.running.keys()].map(({ name, data }) => ({ name, data }));
    this.logger.warn({ jobs }, `Jobs were still running after ${drainMs} ms and were returned to the queue.`);
    for (const job of this.running.values()) job.handBack();
    await withTimeout(closed, HAND_BACK_MS);
  }

  private async run(job: ReceivedJob, token: string | undefined, handler: AnyHandler | undefined): Promise<void> {
    if (handler === undefined) {
      // Another version of the service has a handler; its recurring job will wake it again.
      this.logger.warn({ job: job.name, data: job.data }, 'This version has no handler for the job.');
      return;
    }
    const ended = this.handle(job, handler);
    const handedBack = Promise.withResolvers<'handed back'>();
    this.running.set(job, { ended, handBack: () => handedBack.resolve('handed back') });
    const outcome = await Promise.race([ended, handedBack.promise]);
    this.running.delete(job);
    if (outcome === undefined) return;
    await job.moveToWait(token);
    throw new WaitingError();
  }

  private async handle({ name, data }: Pick<ReceivedJob, 'name' | 'data'>, handler: AnyHandler): Promise<void> {
    try {
      await handler(data);
    } catch (error) {
      this.logger.error({ job: name, data, err: error }, 'A job failed.');
    }
  }
}
