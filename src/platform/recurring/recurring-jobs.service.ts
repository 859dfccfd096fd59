import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config.js';
import { Database } from '../database/database.js';
import { type DeclaredMethod, DeclaredMethods } from '../declared-methods.js';
import { LeaseKeeper } from '../leases.js';
import { LOGGER } from '../logging.js';
import type { Statement } from '../sql/sql.js';
import { withTimeout } from '../with-timeout.js';
import { whichFind } from './found-work.sql.js';
import { RECURRING_JOB, type RecurringJobOptions } from './recurring-job.js';

type Job = DeclaredMethod<RecurringJobOptions>;
/** A job that runs only when its statement finds work. */
type AskingJob = Job & { readonly declaration: { readonly when: Statement<unknown> } };

const isAsking = (job: Job): job is AskingJob => job.declaration.when !== undefined;

/** The longest wait for current runs at the stop, as for jobs of queues and deliveries. */
const DRAIN_MS = 10_000;
/** A connection may hang without an error, and then the question too. */
const ANSWER_WITHIN_MS = 2_000;

/** Runs the methods that `@RecurringJob` declares for the roles of this process. */
@Injectable()
export class RecurringJobs implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly running = new Map<Job, Promise<void>>();
  /** The questions under way, by the interval of their jobs. */
  private readonly asking = new Map<number, Promise<void>>();
  private stopping = false;

  constructor(
    private readonly methods: DeclaredMethods,
    private readonly scheduler: SchedulerRegistry,
    private readonly leases: LeaseKeeper,
    private readonly database: Database,
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
    for (const job of jobs.filter((one) => !isAsking(one))) {
      this.scheduler.addInterval(
        job.name,
        setInterval(() => this.start(job), job.declaration.every),
      );
    }
    for (const [every, asking] of Map.groupBy(jobs.filter(isAsking), ({ declaration }) => declaration.every)) {
      this.scheduler.addInterval(
        `jobs with work, every ${every} ms`,
        setInterval(() => this.ask(every, asking), every),
      );
    }
  }

  /** Starts no more runs, and waits for the current ones before the database closes: each may be in a transaction. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    await withTimeout(Promise.all([...this.asking.values(), ...this.running.values()]), DRAIN_MS);
  }

  private startAll(jobs: readonly Job[]): void {
    for (const job of jobs) this.start(job);
  }

  /** Starts those of the jobs that have work, unless the last question of this interval is still open. */
  private ask(every: number, jobs: readonly AskingJob[]): void {
    const allowed = jobs.filter((job) => this.isAllowed(job));
    if (this.stopping || this.asking.has(every) || allowed.length === 0) return;
    const asked = this.havingWork(allowed).then((found) => this.startAll(found));
    this.asking.set(
      every,
      asked.finally(() => this.asking.delete(every)),
    );
  }

  /**
   * Never throws. Jobs with the same statement share its answer. When the question fails or takes long, each job looks for its
   * work itself, so that none waits for the fault of another.
   */
  private async havingWork(jobs: readonly AskingJob[]): Promise<readonly Job[]> {
    let found: readonly Job[] = jobs;
    const byStatement = [...Map.groupBy(jobs, ({ declaration }) => declaration.when)];
    const question = this.database.rows(whichFind(byStatement.map(([statement]) => statement))).then(
      (answer) => (found = answer.flatMap(({ place }) => byStatement[place]?.[1] ?? [])),
      (error: unknown) => this.logger.error({ err: error }, 'The question which recurring jobs have work failed.'),
    );
    if (await withTimeout(question, ANSWER_WITHIN_MS)) return found;
    this.logger.warn('The question which recurring jobs have work takes long: all of them run.');
    return jobs;
  }

  private isAllowed({ declaration: { leader } }: Job): boolean {
    return leader === undefined || this.leases.holds(leader);
  }

  /** Starts a run of the job unless it is running already. */
  private start(job: Job): void {
    if (this.stopping || this.running.has(job) || !this.isAllowed(job)) return;
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
