import { Injectable, Logger } from '@nestjs/common';
import { RelayService } from './relay.service.js';

const SWEEP_MS = 5_000;

/** Relays events every 5 s, so that a wake-up that the queue lost delays an event by seconds at most. */
@Injectable()
export class RelaySweep {
  private readonly logger = new Logger(RelaySweep.name);
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(private readonly relay: RelayService) {}

  /** Sweeps now, and then every 5 s. */
  start(): void {
    this.running = this.sweep();
  }

  /** Stops the sweeps. Resolves when the current one has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    if (this.timer !== null) clearTimeout(this.timer);
    await this.running;
  }

  private async sweep(): Promise<void> {
    try {
      await this.relay.relay();
    } catch (error) {
      this.logger.warn({ msg: 'Events are waiting for the database.', err: error });
    }
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.running = this.sweep();
    }, SWEEP_MS);
  }
}
