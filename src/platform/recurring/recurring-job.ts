import { SetMetadata } from '@nestjs/common';
import type { Role } from '../config.js';

/**
 * The leases of recurring jobs. `simulations` is apart from `scheduler`: during a rolling update a worker of the version
 * before may hold that one, and it does not simulate, so that nothing would be signed.
 */
export type JobLease = 'scheduler' | 'simulations';

/** When and where a recurring job runs. */
export interface RecurringJobOptions {
  /** Processes with this role run the job. Others may hold the same provider, and do not. */
  readonly role: Role;
  /** Milliseconds from start to start. A start is left out while the last run goes on. */
  readonly every: number;
  /** Only the process that holds this lease runs the job; without it, every process of the role does. */
  readonly leader?: JobLease;
  /** With `leader`: whether the job also runs as soon as this process is elected. */
  readonly atElection?: boolean;
}

export const RECURRING_JOB = 'coffer:recurring-job';

/**
 * Declares that `RecurringJobs` runs this method again and again. The job starts by PostgreSQL's rows: it may be left out,
 * run late, or run in two processes at once.
 */
export function RecurringJob(options: RecurringJobOptions) {
  return SetMetadata(RECURRING_JOB, options) as <Method extends () => Promise<unknown>>(
    target: object,
    name: string,
    method: TypedPropertyDescriptor<Method>,
  ) => void;
}
