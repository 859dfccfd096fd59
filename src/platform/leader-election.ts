import type { Logger } from 'pino';

/** Receives the results of an election. */
export interface Candidate {
  /** This process leads under `epoch` now: start, and call `assertLease` with that epoch in every write. */
  onElected(epoch: number): void;
  /** This process no longer leads: stop. On an orderly stop the promise is awaited before a successor may start. */
  onLost(): void | Promise<void>;
}

/** The state of one lease in this process, and until when it is valid. */
export class LeaderElection {
  /** The epoch under which this process leads; null when it does not. */
  epoch: number | null = null;
  private trustedUntilMs = 0;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    readonly name: string,
    private readonly candidate: Candidate,
    private readonly logger: Logger,
  ) {}

  isTrusted(): boolean {
    return this.epoch !== null && performance.now() < this.trustedUntilMs;
  }

  elected(epoch: number, trustedUntilMs: number): void {
    // An answer that took too long may be out of date; the next round takes the lease again.
    if (this.epoch !== null || performance.now() >= trustedUntilMs) return;
    this.epoch = epoch;
    this.trustUntil(trustedUntilMs);
    this.logger.info({ lease: this.name, epoch }, 'This process was elected leader.');
    try {
      this.candidate.onElected(epoch);
    } catch (error) {
      this.logger.error({ lease: this.name, epoch, err: error }, 'The elected leader did not start.');
      void this.depose();
    }
  }

  /** Handles the answer to a renewal that was sent while this process led under `epoch`. */
  renewed(epoch: number, isOurs: boolean, trustedUntilMs: number): void {
    if (this.epoch !== epoch) return;
    if (!isOurs || performance.now() >= trustedUntilMs) void this.depose();
    else this.trustUntil(trustedUntilMs);
  }

  /** Ends the leadership, if there is one. */
  async depose(): Promise<void> {
    if (this.epoch === null) return;
    const { epoch } = this;
    this.epoch = null;
    if (this.timer !== null) clearTimeout(this.timer);
    this.logger.info({ lease: this.name, epoch }, 'This process is no longer leader.');
    try {
      await this.candidate.onLost();
    } catch (error) {
      this.logger.error({ lease: this.name, epoch, err: error }, 'The former leader did not stop cleanly.');
    }
  }

  private trustUntil(atMs: number): void {
    this.trustedUntilMs = atMs;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.depose(), Math.max(0, atMs - performance.now())).unref();
  }
}
