const WAITING_MAX = 1_000;

/**
 * Runs work in this process, so much at a time. One key never runs beside itself: while it waits, the same key again
 * changes nothing; while it runs, it runs once more afterwards.
 */
export class LocalRuns {
  private readonly waiting = new Map<string, () => Promise<void>>();
  private readonly running = new Map<string, Promise<void>>();
  private closed = false;

  constructor(private readonly atOnceMax: number) {}

  /** Takes on work, which must not reject. What is beyond 1,000 waiting keys is dropped: a sweep brings it again. */
  add(key: string, work: () => Promise<void>): void {
    if (this.closed || this.waiting.size >= WAITING_MAX) return;
    this.waiting.set(key, work);
    this.fill();
  }

  /** Begins nothing further; resolves when what runs has ended. */
  async close(): Promise<void> {
    this.closed = true;
    this.waiting.clear();
    await Promise.all(this.running.values());
  }

  private fill(): void {
    for (const [key, work] of this.waiting) {
      if (this.running.size >= this.atOnceMax) return;
      if (this.running.has(key)) continue;
      this.waiting.delete(key);
      this.running.set(key, this.run(key, work));
    }
  }

  private async run(key: string, work: () => Promise<void>): Promise<void> {
    await work();
    this.running.delete(key);
    this.fill();
  }
}
