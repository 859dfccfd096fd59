/** Stops `performance.now()` of this process until `release`; only `advance` moves it. */
export class StoppedClock {
  private now = Math.ceil(performance.now());
  private readonly real = performance.now;

  constructor() {
    performance.now = () => this.now;
  }

  advance(ms: number): void {
    this.now += ms;
  }

  release(): void {
    performance.now = this.real;
  }
}
