import { Injectable } from '@nestjs/common';
import { DomainError } from '../../domain/errors.js';
import type { AddressFamily } from '../../domain/network.js';
import type { Tenant } from '../../domain/tenant.js';
import { Database, type Tx, afterCommit, rows } from '../../platform/database/database.js';
import { JobWaker } from '../../platform/queue/job-waker.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { assignAddress, countFree } from './pool-addresses.sql.js';

const RETRY_AFTER_SECONDS = 5;
/**
 * However many addresses are assigned within this time, the vault is woken once; its recurring job covers the last
 * ones.
 */
const WAKE_INTERVAL_MS = 250;

/** Free addresses of one family in one environment. */
export interface PoolLevel extends Omit<RowOf<typeof countFree>, 'free'> {
  readonly free: number;
}

/** Assigns addresses that the vault derived ahead. An address is assigned once, to one intent, permanently. */
@Injectable()
export class AddressPool {
  private wokenAt = -Infinity;

  constructor(
    private readonly database: Database,
    private readonly queue: JobWaker,
  ) {}

  /**
   * Assigns a free address to the intent in the caller's transaction; parallel callers skip each other's rows. A row
   * stores its address twice: one that contradicts itself is skipped, and the vault derives it again.
   * @throws DomainError `no_wallets_available` when the pool is empty.
   */
  async assign(tx: Tx, tenant: Tenant, family: AddressFamily, intentId: string): Promise<string> {
    const [assigned] = await rows(tx, assignAddress({ environment: tenant.environment, family }, intentId));
    afterCommit(tx, () => this.wakeVault());
    if (assigned === undefined) {
      this.queue.wake('wallets.refill', {});
      throw new DomainError('no_wallets_available', `No free ${family} address is left; new ones are being derived.`, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    return assigned.address;
  }

  /** Wakes the vault to derive more addresses: an address was assigned. */
  wakeVault(): void {
    const now = performance.now();
    if (now - this.wokenAt < WAKE_INTERVAL_MS) return;
    this.wokenAt = now;
    this.queue.wake('wallets.refill', {});
  }

  /** How many addresses are free, per environment and family. */
  async levels(): Promise<readonly PoolLevel[]> {
    const levels = await this.database.rows(countFree);
    return levels.map((level) => ({ ...level, free: Number(level.free) }));
  }
}
