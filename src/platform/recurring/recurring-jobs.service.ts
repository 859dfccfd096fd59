import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config.js';
import { type DeclaredMethod, DeclaredMethods } from '../declared-methods.js';
import { LeaseKeeper } from '../leases.js';
import { LOGGER } from '../logging.js';
import { type JobLease, RECURRING_JOB, type RecurringJobOptions } from './recurring-job.js';

type Job = DeclaredMethod<RecurringJobOptions>;

/** Runs the methods that `@RecurringJob` declares for the roles of this process. */
@Injectable()
export class RecurringJobs implements OnApplicationBootstrap {
  private readonly running = new Set<Job>();

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
      if (lease !== undefined) this.elect(lease, led);
    }
    for (const job of jobs) {
      this.scheduler.addInterval(
        job.name,
        setInterval(() => void this.run(job), job.declaration.every),
      );
    }
  }

  private elect(lease: JobLease, jobs: readonly Job[]): void {
    const first = jobs.filter(({ declaration }) => declaration.atElection === true);
    this.leases.elect(lease, {
      onElected: () => {
        for (const job of first) void this.run(job);
      },
      onLost: () => undefined,
    });
  }

  /** Runs a job unless it is running already. A failure is logged, and the job runs again after its interval. */
  private async run(job: Job): Promise<void> {
    const { leader } = job.declaration;
    if (this.running.has(job) || (leader !== undefined && !this.leases.holds(leader))) return;
    this.running.add(job);
    try {
      await job.run();
    } catch (error) {
      this.logger.error({ job: job.name, err: error }, 'A recurring job failed.');
    } finally {
      this.running.delete(job);
    }
  }
}
