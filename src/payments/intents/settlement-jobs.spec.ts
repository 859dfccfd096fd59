import { settlementJobs } from './settlement-jobs.js';

const ids = (count: number): string[] => Array.from({ length: count }, (_, i) => `pi_${i}`);

it.each([
  { intents: 0, jobs: 0, largest: 0 },
  { intents: 1, jobs: 1, largest: 1 },
  { intents: 16, jobs: 16, largest: 1 },
  { intents: 17, jobs: 9, largest: 2 },
  { intents: 400, jobs: 16, largest: 25 },
  { intents: 1_600, jobs: 16, largest: 100 },
  { intents: 10_000, jobs: 100, largest: 100 },
])('$intents intents are settled by $jobs jobs of at most $largest', ({ intents, jobs, largest }) => {
  const made = settlementJobs(ids(intents));
  expect(made).toHaveLength(jobs);
  expect(Math.max(0, ...made.map(({ intentIds }) => intentIds.length))).toBe(largest);
  expect(made.flatMap(({ intentIds }) => intentIds)).toEqual(ids(intents));
});
