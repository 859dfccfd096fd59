const WAITING_MAX = 1_000;

/**
 * Runs work in this process with a limit on concurrency. A key never runs twice at a time: a key that is added again has
 * no effect while it waits, and runs once more afterwards while it runs.
 */
export class LocalRuns {
  private readonly waiting = new Map<string, () => Promise<void>>();
  private readonly running = new Map<string, Promise<void>>();
  private closed = false;

  constructor(private readonly atOnceMax: number) {}

  /** Adds work, which must not reject. Beyond 1,000 waiting keys it is dropped: a recurring job finds it again. */
  add(key: string, work: () => Promise<void>): void {
    if (this.closed || this.waiting.size >= WAITING_MAX) return;
    this.waiting.set(key, work);
    this.fill();
  }

  /** Starts no further work; resolves when the running work has ended. */
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
