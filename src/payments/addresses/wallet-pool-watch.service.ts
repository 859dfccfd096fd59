import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Metrics } from '../../platform/metrics.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { WalletPool } from './wallet-pool.service.js';

/** Measures how many addresses are free, and how many stored ones differ from what the vault derives. */
@Injectable()
export class WalletPoolWatch {
  constructor(
    private readonly database: Database,
    private readonly pool: WalletPool,
    private readonly metrics: Metrics,
  ) {}

  @RecurringJob({ role: 'worker', every: 10_000 })
  async measure(): Promise<void> {
    for (const { environment, family, free } of await this.pool.levels()) {
      this.metrics.walletPool.setFree(environment, family, free);
    }
    const [row] = await this.database.query<{ count: string }>(`select count(*) from disproved_address`);
    this.metrics.walletPool.setDisproved(Number(row?.count));
  }
}
