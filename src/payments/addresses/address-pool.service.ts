import { Injectable } from '@nestjs/common';
import { DomainError } from '../../domain/errors.js';
import type { AddressFamily } from '../../domain/network.js';
import type { Tenant } from '../../domain/tenant.js';
import { Database, type Tx, afterCommit, sql } from '../../platform/database/database.js';
import { failpoint } from '../../platform/failpoints.js';
import { JobWaker } from '../../platform/queue/job-waker.js';

const RETRY_AFTER_SECONDS = 5;
/**
 * However many addresses are assigned within this time, the vault is woken once; its recurring job covers the last
 * ones.
 */
const WAKE_INTERVAL_MS = 250;

/** Free addresses of one family in one environment. */
export interface PoolLevel {
  readonly environment: string;
  readonly family: AddressFamily;
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
    const [assigned] = await sql<{ address: string; derivation_index: number }>(
      tx,
      `update pool_address set intent_id = $3, assigned_at = now()
        where id = (select id from pool_address
                     where environment = $1 and family = $2 and intent_id is null and retired_at is null
                       and (family <> 'evm' or address_key = lower(address collate "C"))
                     order by created_at for update skip locked limit 1)
        returning address, derivation_index`,
      [tenant.environment, family, intentId],
    );
    afterCommit(tx, () => this.wakeVault());
    if (assigned === undefined) {
      this.queue.wake('wallets.refill', {});
      throw new DomainError('no_wallets_available', `No free ${family} address is left; new ones are being derived.`, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    failpoint('addr.reserved');
    return assigned.address;
  }

  private wakeVault(): void {
    const now = performance.now();
    if (now - this.wokenAt < WAKE_INTERVAL_MS) return;
    this.wokenAt = now;
    this.queue.wake('wallets.refill', {});
  }

  /** How many addresses are free, per environment and family. */
  async levels(): Promise<readonly PoolLevel[]> {
    const rows = await this.database.query<{ environment: string; family: AddressFamily; free: string }>(
      `select environment, family, count(*) as free from pool_address
        where intent_id is null and retired_at is null group by environment, family`,
    );
    return rows.map((row) => ({ ...row, free: Number(row.free) }));
  }
}
