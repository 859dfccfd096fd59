import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../../platform/logging.js';
import { Metrics } from '../../platform/metrics.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { SanctionsList } from '../../sanctions/sanctions-list.service.js';
import { PayoutHealthReader } from './payout-health-reader.service.js';
import { type PayoutHealth, troublesOf } from './payout-health.js';

/** Measures outgoing payments, and logs what stops them. */
@Injectable()
export class PayoutWatch {
  /** Problems that are logged and not over. */
  private readonly reported = new Set<string>();

  constructor(
    private readonly reader: PayoutHealthReader,
    private readonly sanctions: SanctionsList,
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Updates the metrics, and logs each problem once when it begins and once when it is over. */
  @RecurringJob({ role: 'worker', every: 10_000 })
  async measure(): Promise<void> {
    const state = await this.reader.state();
    const { treasury } = this.metrics;
    treasury.setVaultOpen(state.vault.isOpen);
    treasury.setWaiting(state.standings);
    treasury.setRefunds(state.refunds);
    treasury.setTransactions(state.transactions);
    treasury.setUntaken(state.untaken);
    treasury.setWallets(state.wallets);
    treasury.setSweeps(state.sweeps);
    const list = await this.sanctions.status();
    if (list !== null) treasury.setSanctionsListAge(list.ageDays);
    this.log(state);
  }

  private log(state: PayoutHealth): void {
    const troubles = new Map(
      troublesOf(state).map((trouble) => [`${trouble.code} ${trouble.chainRef ?? ''}`, trouble]),
    );
    for (const [key, { code, chainRef, sentence }] of troubles) {
      if (!this.reported.has(key)) this.logger.error({ code, chainRef, sentence }, 'A payout problem began.');
    }
    for (const key of this.reported) {
      if (!troubles.has(key)) this.logger.info({ code: key.trimEnd() }, 'A payout problem is over.');
    }
    this.reported.clear();
    for (const key of troubles.keys()) this.reported.add(key);
  }
}
