import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { NATIVE_COIN } from '../../domain/network.js';
import { Database } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { ChainJob } from '../chain-job.js';
import { type ExpiringChain, TreasuryChains } from '../treasury-chains.service.js';
import { recordBalances } from '../wallets/hot-balances.sql.js';
import { recordSnapshot } from '../wallets/top-ups.sql.js';
import { agedWallets } from './expiring-balances.sql.js';
import { EXPIRING_FAMILIES } from './expiring-families.js';

/** Final blocks come all the time there, so age decides when a balance is read again. */
const AGES = { busy: 3, idle: 30 };
const agedExpiring = agedWallets(EXPIRING_FAMILIES, AGES);

type AgedWallet = RowOf<typeof agedWallets>;

/** Reads the balances of hot wallets on chains that cannot return the balance at a past block. */
@Injectable()
export class ExpiringBalances {
  private readonly job: ChainJob<ExpiringChain>;

  constructor(
    private readonly database: Database,
    chains: TreasuryChains,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.job = new ChainJob('hot balances', chains.expiring, logger);
  }

  /** Reads every hot wallet whose balance is too old. Runs in the leader of the recurring jobs. */
  @RecurringJob({ role: 'worker', every: 1_000, leader: 'scheduler', when: agedExpiring })
  async refresh(): Promise<void> {
    const aged = await this.database.rows(agedExpiring);
    await this.job.run(new Map(aged.map((wallet) => [wallet.chainRef, wallet])), (chain, wallet) =>
      this.read(chain, wallet),
    );
  }

  private async read({ chainRef, nodes }: ExpiringChain, { addressKey, tokens, since }: AgedWallet): Promise<void> {
    const asked = [NATIVE_COIN, ...tokens];
    const { asOf, units, owned } = await nodes.attempt(({ client }) =>
      client.finalBalancesOf(addressKey, asked, Number(since)),
    );
    const amountsIn = (amounts: readonly bigint[]) =>
      asked.map((contract, place) => ({ contract, amount: amounts[place] ?? null }));
    await this.database.rows(recordBalances(chainRef, asOf.height, amountsIn(units)));
    // Compared with the books once every transaction that was signed before it has ended.
    await this.database.rows(recordSnapshot({ chainRef, ...asOf, nonce: null }, amountsIn(owned)));
  }
}
