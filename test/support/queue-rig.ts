import { BullRegistrar, Processor, WorkerHost } from '@nestjs/bullmq';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import type { Job, Worker } from 'bullmq';
import { createLogger, LOGGER } from '../../src/platform/logging.js';
import { Metrics } from '../../src/platform/metrics.js';
import { JobQueue } from '../../src/platform/queue/job-queue.js';
import { type AnyHandler, JobRuns } from '../../src/platform/queue/job-runs.js';
import type { JobName, Jobs, QueueName } from '../../src/platform/queue/jobs.js';
import { openQueueBackend, type QueueLocation } from '../../src/platform/queue/open-queue-backend.js';
import { PROCESSORS } from '../../src/platform/queue/processors.js';
import { QUEUE_BACKEND, type QueueBackend, WORKER_OPTIONS } from '../../src/platform/queue/queue-backend.js';
import { QueueModule } from '../../src/platform/queue/queue.module.js';
import { LogLines } from './log-lines.js';

const CONCURRENCY = 16;

/** A worker whose death is noticed in a tenth of the usual time. */
@Processor('worker', {
  ...WORKER_OPTIONS,
  lockDuration: WORKER_OPTIONS.lockDuration / 10,
  stalledInterval: WORKER_OPTIONS.stalledInterval / 10,
})
class BriefProcessor extends WorkerHost {
  constructor(private readonly runs: JobRuns) {
    super();
  }

  override process(job: Job, token?: string): Promise<void> {
    return this.runs.run(job, token);
  }
}

/** Handlers of some of the jobs. */
export type Handlers = { readonly [N in JobName]?: (data: Jobs[N]) => Promise<void> };

const handlersOf = (handlers: object): Record<string, AnyHandler> => Object.fromEntries(Object.entries(handlers));

/** The queue and the workers of one process. */
export class QueueRig {
  readonly queue: JobQueue;

  private readonly runs: JobRuns;
  private readonly workers: Worker[] = [];
  private closed: Promise<void> | null = null;

  private constructor(
    readonly backend: QueueBackend,
    readonly log: LogLines,
    readonly metrics: Metrics,
    private readonly modules: TestingModule[],
    private readonly parts: DynamicModule,
  ) {
    const [module] = modules;
    if (module === undefined) throw new Error('A rig has a module.');
    this.queue = module.get(JobQueue);
    this.runs = module.get(JobRuns);
  }

  static async open(location: QueueLocation): Promise<QueueRig> {
    const [log, metrics] = [new LogLines(), new Metrics()];
    const logger = createLogger('info', { destination: log });
    const backend = await openQueueBackend(location, logger);
    const providers = [
      { provide: QUEUE_BACKEND, useValue: backend },
      { provide: LOGGER, useValue: logger },
      { provide: Metrics, useValue: metrics },
    ];
    @Module({})
    class Parts {}
    const parts = { module: Parts, global: true, providers, exports: providers };
    const module = await Test.createTestingModule({ imports: [parts, QueueModule] }).compile();
    return new QueueRig(backend, log, metrics, [module], parts);
  }

  /** Serves the queue `worker` or `vault` with handlers for some of its jobs. */
  async serve(handlers: Handlers, concurrency = CONCURRENCY, queue: QueueName = 'worker'): Promise<void> {
    this.runs.serve(queue, handlersOf(handlers), concurrency);
    await this.start(PROCESSORS[queue], concurrency);
  }

  /** Serves the queue `worker` with locks that end soon after the death of the process. */
  async serveWithBriefLocks(handlers: Handlers): Promise<void> {
    this.runs.serve('worker', handlersOf(handlers), CONCURRENCY);
    await this.start(BriefProcessor, CONCURRENCY);
  }

  private async start(processor: Type<WorkerHost>, concurrency: number): Promise<void> {
    const module = await Test.createTestingModule({ imports: [this.parts, QueueModule], providers: [processor] })
      .overrideProvider(JobRuns)
      .useValue(this.runs)
      .compile();
    this.modules.push(module);
    module.get(BullRegistrar, { strict: false }).register();
    const { worker } = module.get(processor);
    worker.concurrency = concurrency;
    this.workers.push(worker);
    await worker.waitUntilReady();
  }

  /** Stops the workers as at the stop of a process. */
  async stopWorkers(drainMs?: number): Promise<void> {
    await this.runs.close(this.workers, drainMs);
  }

  /** Disconnects from the server, even while jobs run. */
  close(): Promise<void> {
    this.closed ??= this.closeAll();
    return this.closed;
  }

  private async closeAll(): Promise<void> {
    await this.queue.close();
    await this.stopWorkers(100);
    for (const module of this.modules) await module.close();
    await this.backend.close();
  }
}

/** A gate that blocks until it is opened. */
export function gate(): { readonly passed: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: resolve };
}
