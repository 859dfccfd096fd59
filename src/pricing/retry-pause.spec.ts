import { retryPauseMs } from './retry-pause.js';

describe('retryPauseMs', () => {
  it('doubles with every failure in a row up to five minutes, half of it by chance', () => {
    const waits = [1, 2, 3, 8, 9, 50].map((failures) => [failures, retryPauseMs(failures, null)] as const);
    for (const [failures, wait] of waits) {
      const full = Math.min(2_000 * 2 ** (failures - 1), 300_000);
      expect(wait).toBeGreaterThanOrEqual(full / 2);
      expect(wait).toBeLessThanOrEqual(full);
    }
  });

  it('is never less than the source asked for', () => {
    expect(retryPauseMs(1, 600_000)).toBe(600_000);
    expect(retryPauseMs(9, 1_000)).toBeGreaterThanOrEqual(150_000);
  });
});
