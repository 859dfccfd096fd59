/** A timer that fires once, at the earliest time it was set to. */
export class EarliestTimer {
  private timer: NodeJS.Timeout | null = null;
  private firesAtMs = Infinity;

  constructor(private readonly callback: () => void) {}

  /** Fires in `ms` milliseconds at the latest; an earlier time that is already set stays. */
  fireIn(ms: number): void {
    const firesAtMs = performance.now() + ms;
    if (firesAtMs >= this.firesAtMs) return;
    this.clear();
    this.firesAtMs = firesAtMs;
    this.timer = setTimeout(() => {
      this.clear();
      this.callback();
    }, Math.ceil(ms));
  }

  /** Cancels the timer until it is set again. */
  clear(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.firesAtMs = Infinity;
  }
}
