import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../../platform/config.js';
import { Database } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import { JobWaker } from '../../platform/queue/job-waker.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { ChainJob } from '../chain-job.js';
import { type TreasuryChain, TreasuryChains } from '../treasury-chains.service.js';
import { markStuck, walletsWithOld } from './stuck-transactions.sql.js';

/**
 * After this multiple of the usual wait the fee is raised in any case: the tip may be too low although the fee
 * suffices.
 */
const FORCED_AFTER_FACTOR = 10;
const ATTEMPTS_MAX = 20;
const BATCH = 100;
const walletsWithSigned = walletsWithOld(0);

/** Finds stuck transactions that need a higher fee. Runs in the worker; the vault signs (`Replacements`). */
@Injectable()
export class StuckTransactions {
  private readonly job: ChainJob<TreasuryChain>;

  constructor(
    private readonly database: Database,
    chains: TreasuryChains,
    private readonly queue: JobWaker,
    @Inject(CONFIG) private readonly config: Pick<Config, 'treasury'>,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.job = new ChainJob('stuck transactions', chains, logger);
  }

  /** Marks old transactions that are not mined and offer less than the network asks for now; wakes the vault. */
  @RecurringJob({ role: 'worker', every: 2_000, leader: 'scheduler', when: walletsWithSigned })
  async find(): Promise<void> {
    const rows = await this.database.rows(walletsWithOld(this.config.treasury.stuckAfterMs));
    const wallets = new Map(rows.map(({ chainRef, addressKey }) => [chainRef, addressKey]));
    await this.job.run(wallets, (chain, sender) => this.mark(chain, sender));
  }

  private async mark({ chainRef, nodes }: TreasuryChain, sender: string): Promise<void> {
    // A mined transaction waits for finality, and not for a fee.
    const nextNonce = await nodes.attempt(async ({ client }) => client.outgoing.nonceAt(await client.head(), sender));
    const { stuckAfterMs: afterMs } = this.config.treasury;
    const rules = { attemptsMax: ATTEMPTS_MAX, afterMs, forcedAfterMs: FORCED_AFTER_FACTOR * afterMs, limit: BATCH };
    const marked = await this.database.rows(markStuck({ chainRef, sender, nextNonce }, rules));
    this.queue.wakeMany(
      'treasury.replace',
      marked.map(({ id }) => ({ transactionId: id })),
    );
  }
}
