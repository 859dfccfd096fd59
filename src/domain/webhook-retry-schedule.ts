/** Attempts of one delivery: the first one and 5 retries (spec 6.2). The table of attempts enforces the same number. */
export const ATTEMPTS_MAX = 6;

/** The base of the schedule, unless the configuration has another one. */
export const RETRY_BASE_MS = 30_000;

const DELAY_MAX_MS = 3_600_000;

/**
 * Milliseconds to wait after failed attempt `attempt` (counted from 1), or null when the retries are spent and the
 * delivery becomes a dead letter. Source: spec 6.2: 30 s times 2 to the power of the attempt number, at most 1 h.
 */
export function retryDelayMs(attempt: number, baseMs: number): number | null {
  return attempt >= ATTEMPTS_MAX ? null : Math.min(baseMs * 2 ** attempt, DELAY_MAX_MS);
}
