import type { Database } from '../../../platform/database/database.js';
import { nextOthers, type WatchedFunds } from './watched-accounts.sql.js';

/** Other accounts that a step reads: those of one request. */
const OTHERS_PER_STEP = 100;

/**
 * Returns the accounts that addresses own beside their associated ones, some in each step, in turn. Few payers use one, so
 * that as a rule each step reads them all.
 */
export class OtherAccountRota {
  private above = '';

  constructor(
    private readonly database: Database,
    private readonly chainRef: string,
  ) {}

  async next(): Promise<readonly WatchedFunds[]> {
    const accounts = await this.database.rows(nextOthers(this.chainRef, this.above, OTHERS_PER_STEP));
    this.above = accounts.at(OTHERS_PER_STEP - 1)?.account ?? '';
    return accounts;
  }
}
