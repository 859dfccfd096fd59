import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config.js';
import { type DeclaredMethod, DeclaredMethods } from '../declared-methods.js';
import { LeaseKeeper } from '../leases.js';
import { LOGGER } from '../logging.js';
import { withTimeout } from '../with-timeout.js';
import { RECURRING_JOB, type RecurringJobOptions } from './recurring-job.js';

type Job = DeclaredMethod<RecurringJobOptions>;

/** The longest wait for current runs at the stop, as for jobs of queues and deliveries. */
const DRAIN_MS = 10_000;

/** Runs the methods that `@RecurringJob` declares for the roles of this process. */
@Injectable()
export class RecurringJobs implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly running = new Map<Job, Promise<void>>();
  private stopping = false;

  constructor(
    private readonly methods: DeclaredMethods,
    private readonly scheduler: SchedulerRegistry,
    private readonly leases: LeaseKeeper,
    @Inject(CONFIG) private readonly config: Pick<Config, 'roles'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** The jobs of this process's roles. */
  all(): readonly Job[] {
    const declared = this.methods.find<RecurringJobOptions>(RECURRING_JOB);
    return declared.filter(({ declaration }) => this.config.roles.has(declaration.role));
  }

  onApplicationBootstrap(): void {
    const jobs = this.all();
    for (const [lease, led] of Map.groupBy(jobs, ({ declaration }) => declaration.leader)) {
      const first = led.filter(({ declaration }) => declaration.atOnce === true);
      if (lease === undefined) this.startAll(first);
      else this.leases.elect(lease, { onElected: () => this.startAll(first), onLost: () => undefined });
    }
    for (const job of jobs) {
      this.scheduler.addInterval(
        job.name,
        setInterval(() => this.start(job), job.declaration.every),
      );
    }
  }

  /** Starts no more runs, and waits for the current ones before the database closes: each may be in a transaction. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    await withTimeout(Promise.all(this.running.values()), DRAIN_MS);
  }

  private startAll(jobs: readonly Job[]): void {
    for (const job of jobs) this.start(job);
  }

  /** Starts a run of the job unless it is running already. */
  private start(job: Job): void {
    const { leader } = job.declaration;
    if (this.stopping || this.running.has(job) || (leader !== undefined && !this.leases.holds(leader))) return;
    this.running.set(
      job,
      this.run(job).finally(() => this.running.delete(job)),
    );
  }

  /** Never throws. A failure is logged, and the job runs again after its interval. */
  private async run(job: Job): Promise<void> {
    try {
      await job.run();
    } catch (error) {
      this.logger.error({ job: job.name, err: error }, 'A recurring job failed.');
    }
  }
}
