import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AddressProof } from '../../payments/addresses/address-proof.service.js';
import { PoolFiller } from '../../payments/addresses/pool-filler.service.js';
import { Database } from '../../platform/database/database.js';
import { JobHandler } from '../../platform/queue/job-handler.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { HotWallets } from '../../treasury/wallets/hot-wallets.service.js';
import { servedPools } from './address.jobs.sql.js';
import { OpenVault } from './open-vault.service.js';

/** Derives addresses with the open vault: for the address pool, for hot wallets, and stored ones again as a proof. */
@Injectable()
export class AddressJobs implements OnModuleInit {
  constructor(
    private readonly vault: OpenVault,
    private readonly filler: PoolFiller,
    private readonly proof: AddressProof,
    private readonly wallets: HotWallets,
    private readonly database: Database,
  ) {}

  /** Runs before anything is signed: the stored transaction counts may come from a restored backup. */
  async onModuleInit(): Promise<void> {
    await this.wallets.distrustCounts();
  }

  /** Also runs at an interval, because a wake may be lost. */
  @RecurringJob({ role: 'vault', every: 2_000 })
  @JobHandler('wallets.refill')
  async refill(): Promise<void> {
    await this.vault.use(async (vault) => {
      await this.filler.refill(vault, await this.pools());
      await this.wallets.provide(vault);
    });
  }

  /** Derives stored addresses again. Signatures wait for one batch at most. */
  @RecurringJob({ role: 'vault', every: 5_000 })
  async prove(): Promise<void> {
    await this.vault.use(async (vault) => this.proof.check(vault, await this.pools()));
  }

  private pools(): Promise<readonly RowOf<typeof servedPools>[]> {
    return this.database.rows(servedPools);
  }
}
