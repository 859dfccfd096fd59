import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Database } from '../platform/database/database.js';
import { LOGGER } from '../platform/logging.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';
import { recordPresence, secondsSinceSeen } from './vault-heartbeat.sql.js';
import { VaultState } from './vault-state.service.js';

const SEEN_EVERY_MS = 1_000;
/** Longer than a few intervals, because a loaded machine may miss some. */
const AWAY_AFTER_SECONDS = 8;

/** Whether any process has an open vault, and when one was last seen. */
export interface VaultSeen {
  readonly isOpen: boolean;
  /** Seconds since an open vault was last seen; null when none ever was. */
  readonly seenSecondsAgo: number | null;
}

/** Shares with all processes whether one of them has an open vault. */
@Injectable()
export class VaultHeartbeat {
  constructor(
    private readonly database: Database,
    private readonly state: VaultState,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Records that the vault of this process is open, while it is. */
  @RecurringJob({ role: 'vault', every: SEEN_EVERY_MS })
  async beat(): Promise<void> {
    if (!this.state.isOpen) return;
    try {
      await this.database.rows(recordPresence);
    } catch (error) {
      this.logger.warn({ err: error }, 'The presence of the open vault could not be recorded.');
    }
  }

  /** Checks for an open vault, by the database's clock. */
  async check(): Promise<VaultSeen> {
    const [row] = await this.database.rows(secondsSinceSeen);
    const seenSecondsAgo = row === undefined ? null : Math.max(0, row.seconds);
    const isOpen = this.state.isOpen || (seenSecondsAgo !== null && seenSecondsAgo <= AWAY_AFTER_SECONDS);
    return { isOpen, seenSecondsAgo };
  }
}
