import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { NATIVE_COIN } from '../../domain/network.js';
import { Database } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { ChainJob } from '../chain-job.js';
import { type TreasuryChain, TreasuryChains } from '../treasury-chains.service.js';
import { freezeWallet } from './wallet-freeze.js';

interface Token {
  readonly contract: string;
  readonly symbol: string;
}

/** A hot wallet that signs, with the tokens that it pays. */
interface AskedWallet {
  readonly address: string;
  readonly tokens: readonly Token[];
}

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
    const rows = await this.database.query<{ chain_ref: string; address_key: string; tokens: Token[] }>(
      `select wallet.chain_ref, wallet.address_key,
              jsonb_agg(jsonb_build_object('contract', token.contract, 'symbol', token.symbol)) as tokens
         from hot_wallet wallet join chain on chain.id = wallet.chain_ref and chain.active
         join chain_token token on token.chain_ref = wallet.chain_ref and token.enabled and token.contract <> $1
        where wallet.frozen_reason is null group by wallet.chain_ref, wallet.address_key`,
      [NATIVE_COIN],
    );
    const due = rows.map(({ chain_ref: chainRef, address_key: address, tokens }) => {
      const wallet: AskedWallet = { address, tokens };
      return [chainRef, wallet] as const;
    });
    await this.job.run(new Map(due), (chain, wallet) => this.ask(chain, wallet));
  }

  private async ask({ chainRef, nodes }: TreasuryChain, { address, tokens }: AskedWallet): Promise<void> {
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
