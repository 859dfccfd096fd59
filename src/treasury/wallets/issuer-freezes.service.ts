import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Database } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { ChainJob } from '../chain-job.js';
import { type ExpiringChain, type TreasuryChain, TreasuryChains } from '../treasury-chains.service.js';
import { unfrozenWallets } from './issuer-freezes.sql.js';
import { freezeWallet } from './wallet-freeze.js';

/** A hot wallet that signs, with the tokens that it pays. */
type AskedWallet = RowOf<typeof unfrozenWallets>;
/** Returns whether the issuer of a token has frozen an address. */
type FreezeReader = (token: string, address: string) => Promise<boolean>;

/**
 * Detects that the issuer of a token froze a hot wallet. Every payment would then revert, cost its gas and fail
 * as if the merchant had made a mistake. So the wallet is frozen here too, and withdrawals wait for an operator.
 */
@Injectable()
export class IssuerFreezes {
  private readonly job: ChainJob<TreasuryChain>;
  private readonly expiringJob: ChainJob<ExpiringChain>;

  constructor(
    private readonly database: Database,
    chains: TreasuryChains,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.job = new ChainJob('black lists', chains, logger);
    this.expiringJob = new ChainJob('black lists', chains.expiring, logger);
  }

  /** Checks every hot wallet that signs. A chain that is down or hangs delays no other. */
  @RecurringJob({ role: 'worker', every: 60_000, leader: 'scheduler' })
  async check(): Promise<void> {
    const rows = await this.database.rows(unfrozenWallets);
    const due = new Map(rows.map((wallet) => [wallet.chainRef, wallet]));
    await this.job.run(due, ({ nodes }, wallet) =>
      this.ask(wallet, (...asked) => nodes.attempt(({ client }) => client.outgoing.isFrozenByIssuer(...asked))),
    );
    await this.expiringJob.run(due, ({ nodes }, wallet) =>
      this.ask(wallet, (...asked) => nodes.attempt(({ client }) => client.isFrozenByIssuer(...asked))),
    );
  }

  private async ask({ chainRef, addressKey: address, tokens }: AskedWallet, isFrozenBy: FreezeReader): Promise<void> {
    for (const { contract, symbol } of tokens) {
      if (!(await isFrozenBy(contract, address))) continue;
      const reason = `The issuer of ${symbol} has frozen the hot wallet.`;
      const isNews = await this.database.transaction((tx) => freezeWallet(tx, chainRef, reason));
      if (isNews) this.logger.fatal({ chainRef, address, reason }, 'Signing is frozen.');
      return;
    }
  }
}
