import { BullRegistrar, type WorkerHost } from '@nestjs/bullmq';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { CONFIG, type Config } from '../config.js';
import { DeclaredMethods } from '../declared-methods.js';
import { JOB_HANDLER } from './job-handler.js';
import { type AnyHandler, JobRuns } from './job-runs.js';
import { JOB_QUEUES, QUEUE_NAMES, type QueueName } from './jobs.js';
import { JOBS_AT_ONCE, PROCESSORS } from './processors.js';

/** Serves the queues of this process's roles with the methods that `@JobHandler` declares. */
@Injectable()
export class QueueServer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly processors: WorkerHost[] = [];

  constructor(
    private readonly methods: DeclaredMethods,
    private readonly runs: JobRuns,
    private readonly registrar: BullRegistrar,
    private readonly modules: ModuleRef,
    @Inject(CONFIG) private readonly config: Pick<Config, 'roles'>,
  ) {}

  /** Starts the workers, after everything that their handlers use has started. Resolves when they are connected. */
  async onApplicationBootstrap(): Promise<void> {
    const queues = QUEUE_NAMES.filter((queue) => this.config.roles.has(queue));
    for (const queue of queues) {
      this.runs.serve(queue, this.handlersOf(queue), JOBS_AT_ONCE[queue]);
      this.processors.push(this.modules.get(PROCESSORS[queue], { strict: false }));
    }
    this.registrar.register();
    await Promise.all(this.processors.map(({ worker }) => worker.waitUntilReady()));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.runs.close(this.processors.map(({ worker }) => worker));
  }

  private handlersOf(queue: QueueName): Record<string, AnyHandler> {
    const methods = Map.groupBy(this.methods.find<string>(JOB_HANDLER), ({ declaration }) => declaration);
    const jobs = Object.entries(JOB_QUEUES).filter(([, of]) => of === queue);
    return Object.fromEntries(
      jobs.map(([job]) => {
        const [method, ...others] = methods.get(job) ?? [];
        if (method === undefined || others.length > 0) throw new Error(`The job ${job} needs one @JobHandler.`);
        return [job, (data: unknown) => method.run(data)];
      }),
    );
  }
}
