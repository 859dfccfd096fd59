import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Metrics } from '../../platform/metrics.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { AddressPool } from './address-pool.service.js';
import { DisprovedAddress } from './disproved-address.entity.js';

/** Measures how many addresses are free, and how many stored ones differ from what the vault derives. */
@Injectable()
export class AddressPoolWatch {
  constructor(
    private readonly database: Database,
    private readonly pool: AddressPool,
    private readonly metrics: Metrics,
  ) {}

  @RecurringJob({ role: 'worker', every: 10_000 })
  async measure(): Promise<void> {
    for (const { environment, family, free } of await this.pool.levels()) {
      this.metrics.addressPool.setFree(environment, family, free);
    }
    this.metrics.addressPool.setDisproved(await this.database.em().count(DisprovedAddress));
  }
}
