import type { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { isEvmNetwork } from '../../domain/network.js';
import { gasFees, gasPricesOf } from '../../domain/network-fee.js';
import { Database } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { ChainJob } from '../chain-job.js';
import { type CurrentFees, currentFees } from './current-fees.js';
import { type TreasuryChain, TreasuryChains } from '../treasury-chains.service.js';

const SAMPLE_EVERY_SECONDS = 10;
const SAMPLES_KEPT = '1 day';
const PRUNE_BATCH = 1_000;

/** Takes down what gas costs on every chain, so that nobody asks a node in a request. */
@Injectable()
export class GasPriceSamples {
  private readonly job: ChainJob;
  private readonly aboveCap = new Set<string>();

  constructor(
    private readonly database: Database,
    chains: TreasuryChains,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.job = new ChainJob('fees', chains, logger);
  }

  /** Takes a round for every chain whose newest one has aged. One process does: the leader of the recurring duties. */
  @RecurringJob({ role: 'worker', every: 2_000, leader: 'scheduler' })
  async takeDue(): Promise<void> {
    const rows = await this.database.query<{ id: string; now: string }>(
      `select id, clock_timestamp() as now from chain
        where active and family = 'evm' and not exists (
          select from fee_round where chain_ref = chain.id and taken_at > now() - make_interval(secs => $1::int))`,
      [SAMPLE_EVERY_SECONDS],
    );
    await this.job.run(new Map(rows.map(({ id, now }) => [id, new Date(now)])), (chain, at) => this.take(chain, at));
  }

  /** The newest fees of a chain; null when there are none of the last two minutes. Joins the caller's transaction. */
  current(em: EntityManager, chainRef: string): Promise<CurrentFees | null> {
    return currentFees(em, chainRef);
  }

  /** Forgets rounds that are older than a day. */
  @RecurringJob({ role: 'worker', every: 600_000, leader: 'scheduler' })
  async prune(): Promise<void> {
    for (;;) {
      const gone = await this.database.query(
        // Chain by chain, so that the index finds the old ones.
        `delete from fee_round where id in (
           select round.id from chain cross join lateral (
             select id from fee_round where chain_ref = chain.id and taken_at < now() - $1::interval limit $2) round
            limit $2) returning id`,
        [SAMPLES_KEPT, PRUNE_BATCH],
      );
      if (gone.length < PRUNE_BATCH) return;
    }
  }

  /** The round is dated before the node was asked: what a paused leader stores late is old. */
  private async take({ chainRef, profile: { network }, nodes }: TreasuryChain, at: Date): Promise<void> {
    if (!isEvmNetwork(network)) return;
    const history = await nodes.attempt(({ client }) => client.outgoing.feeHistory());
    const prices = gasPricesOf(network, history);
    await this.database.query(
      `insert into fee_round (chain_ref, base_fee, tip_standard, tip_fast, taken_at) values ($1, $2, $3, $4, $5)`,
      [chainRef, prices.baseFee.toString(), prices.tipStandard.toString(), prices.tipFast.toString(), at],
    );
    this.reportCap(chainRef, prices.baseFee, gasFees(network, prices, 'standard') === null);
  }

  private reportCap(chainRef: string, baseFee: bigint, isAbove: boolean): void {
    if (isAbove === this.aboveCap.has(chainRef)) return;
    if (isAbove) {
      this.aboveCap.add(chainRef);
      this.logger.error({ chainRef, baseFee }, 'gas costs more than the cap; withdrawals wait');
    } else {
      this.aboveCap.delete(chainRef);
      this.logger.info({ chainRef, baseFee }, 'gas costs less than the cap again');
    }
  }
}
