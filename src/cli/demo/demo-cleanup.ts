/** Undoes the steps of a demo at its end, in reverse order, each once. A failed step does not stop the others. */
export class Cleanup {
  private readonly steps: (() => Promise<unknown>)[] = [];
  private running: Promise<void> | null = null;

  add(step: () => Promise<unknown>): void {
    this.steps.push(step);
  }

  /** True once the cleanup has begun: later failures of the demo are its effects. */
  get hasBegun(): boolean {
    return this.running !== null;
  }

  run(): Promise<void> {
    this.running ??= this.undo();
    return this.running;
  }

  private async undo(): Promise<void> {
    for (let step = this.steps.pop(); step !== undefined; step = this.steps.pop()) {
      await step().catch(() => undefined);
    }
  }
}
