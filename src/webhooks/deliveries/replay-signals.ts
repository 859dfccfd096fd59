import { Injectable } from '@nestjs/common';

type Listener = () => void;

/**
 * Connects the deliverer and the feeder of replay jobs in one process, so that neither waits for its next poll. Both work
 * without it: what another process sends or ends is found by their polls.
 */
@Injectable()
export class ReplaySignals {
  private onFed: Listener = () => undefined;
  private onEnded: Listener = () => undefined;

  /** Calls `listener` after a job has made deliveries due. */
  whenFed(listener: Listener): void {
    this.onFed = listener;
  }

  /** Calls `listener` after a delivery of a job was acknowledged or became a dead letter. */
  whenEnded(listener: Listener): void {
    this.onEnded = listener;
  }

  fed(): void {
    this.onFed();
  }

  ended(): void {
    this.onEnded();
  }
}
