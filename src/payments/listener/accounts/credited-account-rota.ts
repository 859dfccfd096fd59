import type { Database } from '../../../platform/database/database.js';
import { type CreditedPlace, nextCredited } from './credited-accounts.sql.js';
import type { WatchedFunds } from './watched-accounts.sql.js';

/** Credited accounts that a step reads: those of one request. */
const CREDITED_PER_STEP = 100;
const BEFORE_ALL: CreditedPlace = { account: '', addressId: '0', token: '' };

/**
 * Returns the credited accounts of all addresses, some in each step, in turn. Few payers use one, so that as a rule each step
 * reads them all.
 */
export class CreditedAccountRota {
  private after = BEFORE_ALL;

  constructor(
    private readonly database: Database,
    private readonly chainRef: string,
  ) {}

  async next(): Promise<readonly WatchedFunds[]> {
    const accounts = await this.database.rows(nextCredited(this.chainRef, this.after, CREDITED_PER_STEP));
    this.after = accounts.at(CREDITED_PER_STEP - 1) ?? BEFORE_ALL;
    return accounts;
  }
}
