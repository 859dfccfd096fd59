import type { Logger } from 'pino';
import { ChainUnavailable } from '../../chains/chain.js';
import type { Database } from '../../platform/database/database.js';
import { type HeldLease, LeaseLost } from '../../platform/leases.js';
import { ThrottledLog } from '../../platform/throttled-log.js';
import { ChainHalted, CursorMoved, ListenerPaused, storeDoubt } from './chain-cursor.js';

const BETWEEN_DOUBT_LOGS_MS = 60_000;

/** The listener of a chain, as its reports name it. */
export interface ReportingListener {
  readonly chainRef: string;
  readonly database: Database;
  readonly lease: HeldLease;
  readonly logger: Logger;
  /** Called with each step: whether nodes disagree on a final block. */
  readonly onDoubt: (isInDoubt: boolean) => void;
  /** Called for each step that is not made because staff paused the listener. */
  readonly onPaused: () => void;
}

/** Stores and logs that nodes disagree on a final block, or agree again. */
export class DoubtReport {
  private readonly log = new ThrottledLog(BETWEEN_DOUBT_LOGS_MS);

  constructor(private readonly listener: ReportingListener) {}

  async report(former: string | null, doubt: string | null): Promise<void> {
    const { logger, chainRef, database, lease, onDoubt } = this.listener;
    if (doubt !== former) await storeDoubt(database, chainRef, doubt, lease);
    onDoubt(doubt !== null);
    if (doubt !== null)
      this.log.write(() =>
        logger.error({ chainRef, doubt }, 'Nodes disagree on a final block: nothing becomes final.'),
      );
    else if (former !== null) logger.info({ chainRef, former }, 'The nodes agree on final blocks again.');
  }
}

/** Logs why a step failed, and reports a pause. The step is tried again. */
export function reportFailure(
  { logger, chainRef, onPaused }: Pick<ReportingListener, 'logger' | 'chainRef' | 'onPaused'>,
  error: unknown,
  failures: number,
): void {
  if (error instanceof ListenerPaused) {
    onPaused();
    logger.debug({ chainRef }, error.message);
  } else if (error instanceof ChainHalted || error instanceof LeaseLost || error instanceof CursorMoved) {
    logger.warn({ chainRef }, error.message);
  } else if (error instanceof ChainUnavailable) {
    logger.warn({ chainRef, failures, reason: error.message }, 'The chain is unavailable.');
  } else {
    logger.error({ chainRef, err: error }, 'Reading the chain failed; it is tried again.');
  }
}
