/** Stops `Date.now()` of this process until `release`; only `advance` moves it. */
export class StoppedClock {
  private readonly real = Date.now;

  constructor(private now = Date.now()) {
    Date.now = () => this.now;
  }

  advance(ms: number): void {
    this.now += ms;
  }

  release(): void {
    Date.now = this.real;
  }
}
