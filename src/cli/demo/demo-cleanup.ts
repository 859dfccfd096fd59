/** What a demo must undo at its end, however it ends: last things first, each once, none stopped by another's failure. */
export class Cleanup {
  private readonly steps: (() => Promise<unknown>)[] = [];
  private running: Promise<void> | null = null;

  add(step: () => Promise<unknown>): void {
    this.steps.push(step);
  }

  /** True once the end has begun: what fails from then on fails because of it. */
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
