/** Rings once at the earliest moment it was set to. */
export class Alarm {
  private timer: NodeJS.Timeout | null = null;
  private ringsAtMs = Infinity;

  constructor(private readonly ring: () => void) {}

  /** Rings in `ms` milliseconds at the latest; an earlier moment that is set already stays. */
  ringIn(ms: number): void {
    const ringsAtMs = performance.now() + ms;
    if (ringsAtMs >= this.ringsAtMs) return;
    this.clear();
    this.ringsAtMs = ringsAtMs;
    this.timer = setTimeout(() => {
      this.clear();
      this.ring();
    }, Math.ceil(ms));
  }

  /** Does not ring any more, unless it is set again. */
  clear(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.ringsAtMs = Infinity;
  }
}
