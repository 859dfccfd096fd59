import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { isEvmNetwork } from '../../domain/network.js';
import { gasFees, gasPricesOf } from '../../domain/network-fee.js';
import { Database } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import { JobHandler } from '../../platform/queue/job-handler.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { ChainJob } from '../chain-job.js';
import { GasPriceSample } from './gas-price-sample.entity.js';
import { deleteOutdated, findChainsToSample } from './gas-prices.sql.js';
import { type TreasuryChain, TreasuryChains } from '../treasury-chains.service.js';

const SAMPLE_EVERY_SECONDS = 10;
const chainsWithoutSample = findChainsToSample(SAMPLE_EVERY_SECONDS);
const SAMPLES_KEPT = '1 day';
const PRUNE_BATCH = 1_000;

/** Samples the gas prices of every chain, so that no request has to call a node. */
@Injectable()
export class GasPriceSamples {
  private readonly job: ChainJob<TreasuryChain>;
  private readonly aboveCap = new Set<string>();

  constructor(
    private readonly database: Database,
    chains: TreasuryChains,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.job = new ChainJob('fees', chains, logger);
  }

  /**
   * Takes a sample for every chain whose newest one is too old. Runs in the leader of the recurring jobs, and in any worker
   * when a chain was registered.
   */
  @RecurringJob({ role: 'worker', every: 2_000, leader: 'scheduler', when: chainsWithoutSample })
  @JobHandler('fees.sample')
  async takeDue(): Promise<void> {
    const chains = await this.database.rows(chainsWithoutSample);
    await this.job.run(new Map(chains.map(({ id, now }) => [id, new Date(now)])), (chain, at) => this.take(chain, at));
  }

  /** Deletes samples that are older than a day. */
  @RecurringJob({ role: 'worker', every: 600_000, leader: 'scheduler' })
  async prune(): Promise<void> {
    for (;;) {
      const deleted = await this.database.rows(deleteOutdated(SAMPLES_KEPT, PRUNE_BATCH));
      if (deleted.length < PRUNE_BATCH) return;
    }
  }

  /** The sample is dated before the node answers, so that a late write of a paused leader counts as old. */
  private async take({ chainRef, profile: { network }, nodes }: TreasuryChain, at: Date): Promise<void> {
    if (!isEvmNetwork(network)) return;
    const history = await nodes.attempt(({ client }) => client.outgoing.feeHistory());
    const prices = gasPricesOf(network, history);
    await this.database.em().insert(GasPriceSample, { chainRef, ...prices, details: null, takenAt: at });
    this.reportCap(chainRef, prices.baseFee, gasFees(network, prices, 'standard') === null);
  }

  private reportCap(chainRef: string, baseFee: bigint, isAbove: boolean): void {
    if (isAbove === this.aboveCap.has(chainRef)) return;
    if (isAbove) {
      this.aboveCap.add(chainRef);
      this.logger.error({ chainRef, baseFee }, 'The gas price is above the cap: withdrawals wait.');
    } else {
      this.aboveCap.delete(chainRef);
      this.logger.info({ chainRef, baseFee }, 'The gas price is below the cap again.');
    }
  }
}
