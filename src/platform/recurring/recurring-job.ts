import { SetMetadata } from '@nestjs/common';
import type { Role } from '../config.js';
import type { Statement } from '../sql/sql.js';

/**
 * The leases of recurring jobs. `simulations` is separate from `scheduler`: during a rolling update a worker of the
 * previous version may hold `scheduler`. It does not simulate, so nothing would be signed.
 */
export type JobLease = 'scheduler' | 'simulations';

/** The schedule of a recurring job, and the processes that run it. */
export interface RecurringJobOptions {
  /** Only processes with this role run the job, even if others have the same provider. */
  readonly role: Role;
  /** Milliseconds from start to start. A start is skipped while the previous run continues. */
  readonly every: number;
  /** Only the process that holds this lease runs the job; without it, every process of the role does. */
  readonly leader?: JobLease;
  /** Whether the job also runs before its first interval: at the start, or with `leader` as soon as it is elected. */
  readonly atOnce?: boolean;
  /**
   * The statement with which the job finds its work. At its interval, the job runs only when this returns a row: all jobs of one
   * interval ask in one statement, so a process at rest does not send one for each. `atOnce` and wakes of the queue ask nothing.
   */
  readonly when?: Statement<unknown>;
}

export const RECURRING_JOB = 'coffer:recurring-job';

/**
 * Declares that `RecurringJobs` runs this method repeatedly. The job must find its work in PostgreSQL: a run may be
 * skipped, late, or concurrent with one in another process.
 */
export function RecurringJob(options: RecurringJobOptions) {
  return SetMetadata(RECURRING_JOB, options) as <Method extends () => Promise<unknown>>(
    target: object,
    name: string,
    method: TypedPropertyDescriptor<Method>,
  ) => void;
}
