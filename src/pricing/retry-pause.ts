import { randomInt } from 'node:crypto';

const DELAY_BASE_MS = 2_000;
const DELAY_MAX_MS = 300_000;

/**
 * Returns the milliseconds before a source is asked again after its `failures`th failure in a row: doubling, half of it
 * random, so that many installations do not come back together, and never less than the source asked for.
 */
export function retryPauseMs(failures: number, retryAfterMs: number | null): number {
  const full = Math.min(DELAY_BASE_MS * 2 ** (failures - 1), DELAY_MAX_MS);
  return Math.max(full / 2 + randomInt(full / 2 + 1), retryAfterMs ?? 0);
}
