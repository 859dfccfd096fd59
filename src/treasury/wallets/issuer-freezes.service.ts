import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Database } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { ChainJob } from '../chain-job.js';
import { type TreasuryChain, TreasuryChains } from '../treasury-chains.service.js';
import { unfrozenWallets } from './issuer-freezes.sql.js';
import { freezeWallet } from './wallet-freeze.js';

/** A hot wallet that signs, with the tokens that it pays. */
type AskedWallet = RowOf<typeof unfrozenWallets>;

/**
 * Detects that the issuer of a token froze a hot wallet. Every payment would then revert, cost its gas and fail
 * as if the merchant had made a mistake. So the wallet is frozen here too, and withdrawals wait for an operator.
 */
@Injectable()
export class IssuerFreezes {
  private readonly job: ChainJob;

  constructor(
    private readonly database: Database,
    chains: TreasuryChains,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.job = new ChainJob('black lists', chains, logger);
  }

  /** Checks every hot wallet that signs. A chain that is down or hangs delays no other. */
  @RecurringJob({ role: 'worker', every: 60_000, leader: 'scheduler' })
  async check(): Promise<void> {
    const rows = await this.database.rows(unfrozenWallets);
    const due = new Map(rows.map((wallet) => [wallet.chainRef, wallet]));
    await this.job.run(due, (chain, wallet) => this.ask(chain, wallet));
  }

  private async ask({ chainRef, nodes }: TreasuryChain, { addressKey: address, tokens }: AskedWallet): Promise<void> {
    for (const { contract, symbol } of tokens) {
      const isFrozen = await nodes.attempt(({ client }) => client.outgoing.isFrozenByIssuer(contract, address));
      if (!isFrozen) continue;
      const reason = `The issuer of ${symbol} has frozen the hot wallet.`;
      const isNews = await this.database.transaction((tx) => freezeWallet(tx, chainRef, reason));
      if (isNews) this.logger.fatal({ chainRef, address, reason }, 'Signing is frozen.');
      return;
    }
  }
}
