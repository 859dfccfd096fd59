import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Database, rows } from '../../platform/database/database.js';
import { failpoint } from '../../platform/failpoints.js';
import { LOGGER } from '../../platform/logging.js';
import { FAILPOINT_PREFIXES, type OutcomeHandlers, OUTCOME_HANDLERS } from '../transactions/outcome-handler.js';
import { insertProof, lockExpiring, markExpired } from './expiring-payments.sql.js';

/** The proof that a transaction is never mined. */
export interface ProvenExpiry {
  readonly transactionId: string;
  /** Its `Expiry.until`, which final blocks have passed. */
  readonly until: number;
  /** The nodes that read these blocks. */
  readonly nodes: number;
}

/** Ends transactions that have expired, and frees their orders for another transaction. */
@Injectable()
export class ExpiredTransactions {
  constructor(
    private readonly database: Database,
    @Inject(OUTCOME_HANDLERS) private readonly handlers: OutcomeHandlers,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Records the proof; the order then waits unsigned, and every rule is checked again before it is signed. */
  async free({ transactionId, until, nodes }: ProvenExpiry): Promise<void> {
    const purpose = await this.database.transaction(async (tx) => {
      const [open] = await rows(tx, lockExpiring(transactionId));
      if (open === undefined) return null;
      await rows(tx, insertProof({ transactionId, until, nodes }));
      await rows(tx, markExpired(transactionId));
      await this.handlers[open.purpose].reopen(tx, open.purposeId);
      failpoint(`${FAILPOINT_PREFIXES[open.purpose]}.expired`);
      return open.purpose;
    });
    if (purpose !== null)
      this.logger.warn({ transactionId, purpose }, 'A transaction has expired: it is signed again.');
  }
}
