import type { Jobs } from '../../platform/queue/jobs.js';

/** Jobs that a worker runs at once: fewer intents than that get a job each. */
const JOBS_AT_ONCE = 16;
const INTENTS_PER_JOB = 100;

/** The jobs that settle these intents. Many intents share a job: a job costs the queue as much as settling one intent. */
export function settlementJobs(intentIds: readonly string[]): Jobs['intents.settle'][] {
  const size = Math.min(Math.ceil(intentIds.length / JOBS_AT_ONCE), INTENTS_PER_JOB);
  const jobs: Jobs['intents.settle'][] = [];
  for (let first = 0; first < intentIds.length; first += size) {
    jobs.push({ intentIds: intentIds.slice(first, first + size) });
  }
  return jobs;
}
