import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { EVM_NETWORKS } from '../../domain/network.js';
import { CONFIG, type Config } from '../config.js';
import { DeclaredMethods } from '../declared-methods.js';
import { JOB_HANDLER } from './job-handler.js';
import { type AnyHandler, JobWorkers } from './job-workers.js';
import { JOB_QUEUES, QUEUE_NAMES, type QueueName } from './jobs.js';

/** Concurrent jobs of a queue in one process. The lock of a hot wallet allows one signature per EVM network at a time. */
const JOBS_AT_ONCE: Readonly<Record<QueueName, number>> = { worker: 16, vault: EVM_NETWORKS.length };

/** Serves the queues of this process's roles with the methods that `@JobHandler` declares. */
@Injectable()
export class QueueServer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly methods: DeclaredMethods,
    private readonly workers: JobWorkers,
    @Inject(CONFIG) private readonly config: Pick<Config, 'roles'>,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    for (const queue of QUEUE_NAMES) {
      if (this.config.roles.has(queue)) await this.workers.start(queue, this.handlersOf(queue), JOBS_AT_ONCE[queue]);
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.workers.close();
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
