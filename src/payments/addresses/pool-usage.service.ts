import { Inject, Injectable } from '@nestjs/common';
import { type AddressFamily, ENVIRONMENTS, type Environment } from '../../domain/network.js';
import { CONFIG, type Config } from '../../platform/config.js';
import { Database } from '../../platform/database/database.js';
import { TtlCache } from '../../platform/ttl-cache.js';
import { LOW_MARK } from './pool-filler.service.js';
import { poolUsage } from './pool-usage.sql.js';

/** The counts read every address, so a page that is open does not count again with each poll. */
const COUNTED_EVERY_MS = 30_000;

/** The addresses of one family in one environment. */
export interface PoolUsage {
  readonly family: AddressFamily;
  readonly free: number;
  /** Given to an intent, permanently. */
  readonly assigned: number;
  /** With a payment. */
  readonly paid: number;
  /** Taken off the pool, never assigned. */
  readonly retired: number;
  readonly assignedIn7Days: number;
  /** The vault fills the pool up to it. */
  readonly target: number;
  /** Below it the vault derives more. */
  readonly lowMark: number;
  /** How long the free ones last at the rate of the last 7 days without the vault; null when none was assigned. */
  readonly daysLeft: number | null;
}

/** Counts the addresses of the pools, for staff. */
@Injectable()
export class PoolUsageReader {
  private readonly counts = new TtlCache<readonly PoolUsage[]>(COUNTED_EVERY_MS, ENVIRONMENTS.length, async (name) => {
    const environment = ENVIRONMENTS.find((known) => known === name);
    return environment === undefined ? null : this.count(environment);
  });

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'walletPoolTarget'>,
  ) {}

  /** Returns the counts, at most 30 s old. */
  async of(environment: Environment): Promise<readonly PoolUsage[]> {
    return (await this.counts.get(environment)) ?? [];
  }

  private async count(environment: Environment): Promise<readonly PoolUsage[]> {
    const target = this.config.walletPoolTarget;
    const found = await this.database.rows(poolUsage(environment));
    return found.map(({ family, ...counts }) => {
      const [free, assignedIn7Days] = [Number(counts.free), Number(counts.assignedIn7Days)];
      return {
        family,
        free,
        assigned: Number(counts.assigned),
        paid: Number(counts.paid),
        retired: Number(counts.retired),
        assignedIn7Days,
        target,
        lowMark: Math.ceil(target * LOW_MARK),
        daysLeft: assignedIn7Days === 0 ? null : Math.round((free / assignedIn7Days) * 70) / 10,
      };
    });
  }
}
