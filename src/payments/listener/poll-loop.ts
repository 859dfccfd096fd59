export interface PollLoopOptions {
  /** Does the work once. Returns whether there is more to do at once. */
  readonly tick: () => Promise<boolean>;
  /** Returns the time until the next tick, after so many failures in a row. */
  readonly pauseMs: (failures: number) => number;
  /** Called with the error of a tick, and the number of failures in a row. Never fails. */
  readonly onFailure: (error: unknown, failures: number) => Promise<void>;
}

/** Repeats a tick until it is stopped, one at a time. A failure never ends it. */
export class PollLoop {
  private running = true;
  private failures = 0;
  private wake: () => void = () => undefined;
  private readonly loop: Promise<void>;

  constructor(private readonly options: PollLoopOptions) {
    this.loop = this.run();
  }

  /** Brings the next tick forward. */
  nudge(): void {
    this.wake();
  }

  /** Ends after the tick that is under way. */
  async stop(): Promise<void> {
    this.running = false;
    this.nudge();
    await this.loop;
  }

  private async run(): Promise<void> {
    while (this.running) {
      let nudged = false;
      const nudge = new Promise<void>((resolve) => {
        this.wake = () => {
          nudged = true;
          resolve();
        };
      });
      const behind = await this.tickSafely();
      if (behind || nudged || !this.running) continue;
      await this.pause(nudge);
    }
  }

  /** Waits for the next tick or a nudge, whichever comes first. */
  private async pause(nudge: Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const poll = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.options.pauseMs(this.failures));
    });
    await Promise.race([nudge, poll]);
    clearTimeout(timer);
  }

  private async tickSafely(): Promise<boolean> {
    try {
      const behind = await this.options.tick();
      this.failures = 0;
      return behind;
    } catch (error) {
      this.failures++;
      await this.options.onFailure(error, this.failures);
      return false;
    }
  }
}

const POLL_MIN_MS = 500;
const POLL_MAX_MS = 4_000;
const BACKOFF_MAX_MS = 5_000;

/** Returns the pause of a listener: about the time of a block, doubled with each failure in a row up to a limit. */
export function listenerPauseMs(blockIntervalMs: number, failures: number): number {
  const calm = Math.min(Math.max(blockIntervalMs, POLL_MIN_MS), POLL_MAX_MS);
  return Math.min(calm * 2 ** Math.min(failures, 5), Math.max(calm, BACKOFF_MAX_MS));
}
