import { RETRY_BASE_MS, retryDelayMs } from './webhook-retry-schedule.js';

describe('retryDelayMs', () => {
  it.each([
    [1, 60_000],
    [2, 120_000],
    [3, 240_000],
    [4, 480_000],
    [5, 960_000],
    [6, null],
  ])('[spec 6.2] waits after failed attempt %i for %s ms', (attempt, expected) => {
    expect(retryDelayMs(attempt, RETRY_BASE_MS)).toBe(expected);
  });

  it('[spec 6.2] never waits longer than one hour', () => {
    expect(retryDelayMs(5, 3_000_000)).toBe(3_600_000);
  });
});
