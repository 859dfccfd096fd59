import { randomInt } from 'node:crypto';

const PAUSE_BASE_MS = 1_000;
const PAUSE_MAX_MS = 60_000;

/** `closed`: in use. `open`: not used until its pause has passed. `half_open`: may be tried again. */
export type BreakerState = 'closed' | 'open' | 'half_open';

/** Draws a whole number from 0 to `max`, both included. */
export type Draw = (max: number) => number;

/**
 * Decides when a failed node may be tried again. One failure opens it, because there is another node; each further failure
 * doubles the bound of the pause. The pause is random up to the bound (full jitter), so that many processes do not return
 * to a node at once. Times are milliseconds of one monotonic clock.
 */
export class CircuitBreaker {
  private failures = 0;
  private closedAtMs = 0;
  /** Null while closed. */
  private openUntilMs: number | null = null;

  constructor(private readonly draw: Draw = (max) => randomInt(max + 1)) {}

  /** Failures in a row. A success that did not last as long as the longest pause does not end the row. */
  get consecutiveFailures(): number {
    return this.failures;
  }

  state(nowMs: number): BreakerState {
    if (this.openUntilMs === null) return 'closed';
    return nowMs < this.openUntilMs ? 'open' : 'half_open';
  }

  /** The time from which it may be tried; 0 while it is closed. */
  get readyAtMs(): number {
    return this.openUntilMs ?? 0;
  }

  succeed(nowMs: number): void {
    if (this.openUntilMs === null) return;
    this.openUntilMs = null;
    this.closedAtMs = nowMs;
  }

  /** @param pauseMinMs The pause that the node requested; capped at a minute. */
  fail(nowMs: number, pauseMinMs = 0): void {
    const wasWell = this.openUntilMs === null && nowMs - this.closedAtMs >= PAUSE_MAX_MS;
    this.failures = wasWell ? 1 : this.failures + 1;
    // The exponent is bounded, since 2 ** 1100 is no number.
    const bound = Math.min(PAUSE_BASE_MS * 2 ** Math.min(this.failures - 1, 10), PAUSE_MAX_MS);
    this.openUntilMs = nowMs + Math.max(this.draw(bound), Math.min(pauseMinMs, PAUSE_MAX_MS));
  }
}
