import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Database } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { ChainJob } from '../chain-job.js';
import { type TreasuryChain, TreasuryChains } from '../treasury-chains.service.js';
import { HotWallet } from '../wallets/hot-wallet.entity.js';
import { findDropped } from './stuck-transactions.sql.js';

const BATCH = 200;

/** A transaction that ended here by an attempt that was final once. */
type DroppedTransaction = RowOf<typeof findDropped>;

/**
 * Resends transactions that a chain dropped after they were final (a reorg beyond finality): without them no later
 * nonce of the wallet could be mined. The same bytes have the same nonce, so they are never a second payment. A
 * reverted one whose amount was given back is only reported: this time it might succeed.
 */
@Injectable()
export class DroppedTransactions {
  private readonly job: ChainJob<TreasuryChain>;
  /** Dropped transactions that were logged. */
  private readonly reported = new Set<string>();

  constructor(
    private readonly database: Database,
    chains: TreasuryChains,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.job = new ChainJob('dropped transactions', chains, logger);
  }

  /** Checks every wallet that has sent something. A chain that is down or hangs delays no other. */
  @RecurringJob({ role: 'worker', every: 30_000, leader: 'scheduler' })
  async sendAgain(): Promise<void> {
    const used = await this.database
      .em()
      .find(HotWallet, { nextNonce: { $gt: 0 } }, { fields: ['addressKey'], orderBy: { chainRef: 'asc' } });
    const wallets = new Map(used.map(({ chainRef, addressKey }) => [chainRef, addressKey]));
    await this.job.run(wallets, (chain, sender) => this.check(chain, sender));
  }

  private async check({ chainRef, nodes }: TreasuryChain, sender: string): Promise<void> {
    const { height, nonce } = await nodes.attempt(async ({ client }) => {
      const head = await client.head();
      return { height: head.height, nonce: await client.outgoing.nonceAt(head, sender) };
    });
    // A node that lags does not count transactions above its head, and has dropped nothing.
    const sent = { chainRef, sender, nextNonce: nonce };
    const dropped = await this.database.rows(findDropped(sent, height, BATCH));
    for (const transaction of dropped) {
      this.report(chainRef, transaction);
      // Every node may have dropped it.
      if (transaction.isSafe) await nodes.ask(({ outgoing }) => outgoing.broadcast(transaction.rawTransaction));
    }
  }

  private report(chainRef: string, { id, nonce, isSafe: isSentAgain }: DroppedTransaction): void {
    if (this.reported.has(id)) return;
    this.reported.add(id);
    this.logger.fatal({ transactionId: id, chainRef, nonce, isSentAgain }, 'The chain dropped a final transaction.');
  }
}
