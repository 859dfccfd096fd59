/**
 * Writes one log line per `intervalMs` and counts the others, so that an outage cannot flood the log. `write` receives the
 * number of suppressed lines since the last one.
 */
export class ThrottledLog {
  private openAtMs = 0;
  private suppressedLines = 0;

  constructor(private readonly intervalMs = 1_000) {}

  write(write: (suppressedLines: number) => void): void {
    const nowMs = performance.now();
    if (nowMs < this.openAtMs) {
      this.suppressedLines++;
      return;
    }
    const suppressedLines = this.suppressedLines;
    this.suppressedLines = 0;
    this.openAtMs = nowMs + this.intervalMs;
    write(suppressedLines);
  }
}
