import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../../platform/logging.js';
import { Metrics } from '../../platform/metrics.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { SanctionsList } from '../../sanctions/sanctions-list.service.js';
import { PayoutReader } from './payout-reader.service.js';
import { type PayoutState, troublesOf } from './payout-state.js';

/** Tells monitors how money on its way out stands. */
@Injectable()
export class PayoutWatch {
  /** What is wrong now. */
  private readonly told = new Set<string>();

  constructor(
    private readonly reader: PayoutReader,
    private readonly sanctions: SanctionsList,
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Tells the metrics, and tells the log what is wrong: once when it begins, once when it is over. */
  @RecurringJob({ role: 'worker', every: 10_000 })
  async measure(): Promise<void> {
    const state = await this.reader.state();
    const { treasury } = this.metrics;
    treasury.setVaultOpen(state.vault.isOpen);
    treasury.setWaiting(state.standings);
    treasury.setReturns(state.returns);
    treasury.setTransactions(state.transactions);
    treasury.setUntaken(state.untaken);
    treasury.setWallets(state.wallets);
    treasury.setSweeps(state.sweeps);
    const list = await this.sanctions.status();
    if (list !== null) treasury.setSanctionsListAge(list.ageDays);
    this.tell(state);
  }

  private tell(state: PayoutState): void {
    const troubles = new Map(
      troublesOf(state).map((trouble) => [`${trouble.code} ${trouble.chainRef ?? ''}`, trouble]),
    );
    for (const [key, { code, chainRef, sentence }] of troubles) {
      if (!this.told.has(key)) this.logger.error({ code, chainRef, sentence }, 'money is kept from going out');
    }
    for (const key of this.told) {
      if (!troubles.has(key)) this.logger.info({ code: key.trimEnd() }, 'what kept money from going out is over');
    }
    this.told.clear();
    for (const key of troubles.keys()) this.told.add(key);
  }
}
