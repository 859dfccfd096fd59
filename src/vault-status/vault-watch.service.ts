import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Database } from '../platform/database/database.js';
import { LOGGER } from '../platform/logging.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';
import { VaultState } from './vault-state.service.js';

const SEEN_EVERY_MS = 1_000;
/** A loaded machine may miss some of them. */
const AWAY_AFTER_SECONDS = 8;

/** Whether any process holds an open vault, and for how long none has. */
export interface VaultSeen {
  readonly isOpen: boolean;
  /** Seconds since one was last seen; null when none ever was. */
  readonly seenSecondsAgo: number | null;
}

/** Tells every process whether an open vault is there, which only the one that holds it can know by itself. */
@Injectable()
export class VaultWatch {
  constructor(
    private readonly database: Database,
    private readonly state: VaultState,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Says that the vault of this process is open, while it is. */
  @RecurringJob({ role: 'vault', every: SEEN_EVERY_MS })
  async announce(): Promise<void> {
    if (!this.state.isOpen) return;
    try {
      await this.database.query(
        `insert into vault_presence (id, seen_at) values (1, now())
         on conflict (id) do update set seen_at = excluded.seen_at where vault_presence.seen_at < excluded.seen_at`,
      );
    } catch (error) {
      this.logger.warn({ err: error }, 'the open vault could not be announced');
    }
  }

  /** How it stands, by the database's clock. */
  async check(): Promise<VaultSeen> {
    const [row] = await this.database.query<{ seconds: number }>(
      `select extract(epoch from clock_timestamp() - seen_at)::int as seconds from vault_presence`,
    );
    const seenSecondsAgo = row === undefined ? null : Math.max(0, row.seconds);
    const isOpen = this.state.isOpen || (seenSecondsAgo !== null && seenSecondsAgo <= AWAY_AFTER_SECONDS);
    return { isOpen, seenSecondsAgo };
  }
}
