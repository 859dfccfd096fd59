import { Injectable } from '@nestjs/common';
import type { Environment } from '../../domain/network.js';
import { formatUnits } from '../../domain/money.js';
import { recordAction } from '../../platform/audit-trail.js';
import { Database, rows, type Tx } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import {
  abandonFailedContracts,
  countMiscounted,
  findOpenSweeps,
  findSetAside,
  retrySetAside,
} from './sweep-operations.sql.js';
import { retryAccounts } from './expiring/credited-balances.sql.js';
import { SWEEP_WAITING_REASONS } from './sweep-waiting.js';

/** A sweep that is not final yet. */
export interface OpenSweep extends Omit<RowOf<typeof findOpenSweeps>, 'age' | 'waitingReason' | 'isSigned' | 'isSent'> {
  readonly ageSeconds: number;
  /** Why it waits, as a phrase. */
  readonly standing: string;
}

/** A balance that is not swept before an operator retries it. */
export interface SetAsideBalance extends Omit<RowOf<typeof findSetAside>, 'units' | 'decimals'> {
  /** Whole tokens, decimal. */
  readonly amount: string;
}

/** Shows sweeps to operators and retries them. */
@Injectable()
export class SweepOperations {
  constructor(private readonly database: Database) {}

  /** Returns open sweeps of an environment, or of all, the oldest first. */
  async open(limit: number, environment: Environment | null = null): Promise<OpenSweep[]> {
    const sweeps = await this.database.rows(findOpenSweeps(limit, environment));
    return sweeps.map(({ age, waitingReason: waiting, isSigned, isSent, ...sweep }) => ({
      ...sweep,
      ageSeconds: Math.max(0, age),
      standing: isSent
        ? 'a node has taken it, and it is not final yet'
        : isSigned
          ? 'it is signed, and no node has taken it yet'
          : waiting === null
            ? 'no open vault has checked it yet'
            : SWEEP_WAITING_REASONS[waiting],
    }));
  }

  /** Returns balances that were set aside in an environment, or in all, the largest of each token first. */
  async setAside(limit: number, environment: Environment | null = null): Promise<SetAsideBalance[]> {
    const balances = await this.database.rows(findSetAside(limit, environment));
    return balances.map(({ units, decimals, ...balance }) => ({
      ...balance,
      amount: formatUnits(BigInt(units), decimals),
    }));
  }

  /**
   * Returns how many balances differ from their final deposits: none, unless rows were written by hand. It adds up
   * every deposit, so only a command calls it.
   */
  async miscounted(): Promise<number> {
    const [row] = await this.database.rows(countMiscounted);
    return row?.count ?? 0;
  }

  /**
   * Retries balances that were set aside: all of them with the failed deployments, or those of one address (lower
   * case). Returns the number of balances. Joins the caller's transaction.
   */
  async retry(
    tx: Tx,
    addressKey: string | null,
    order: { readonly actor: string; readonly reason: string },
  ): Promise<number> {
    const retried = [...(await rows(tx, retrySetAside(addressKey))), ...(await rows(tx, retryAccounts(addressKey)))];
    // The planner writes a new row for a contract that is still needed.
    if (addressKey === null) await rows(tx, abandonFailedContracts);
    await recordAction(tx, { ...order, action: 'sweep.retry', subject: addressKey ?? 'all set-aside balances' });
    return retried.length;
  }
}
