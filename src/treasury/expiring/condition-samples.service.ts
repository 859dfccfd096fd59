import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { PaymentConditions } from '../../chains/expiring.js';
import { Database } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { ChainJob } from '../chain-job.js';
import { type ExpiringChain, TreasuryChains } from '../treasury-chains.service.js';
import { EXPIRING_FAMILIES } from './expiring-families.js';
import { findChainsToRead, insertConditions } from './payment-conditions.sql.js';

/** A payment is signed with the newest block, so its conditions are read often while one waits. */
const AGES = { busy: 4, idle: 30 };
const chainsToRead = findChainsToRead(EXPIRING_FAMILIES, AGES);

type DueChain = RowOf<typeof findChainsToRead>;

/** Reads the fees and the newest block of chains whose transactions expire, so that neither the vault nor a request asks a node. */
@Injectable()
export class ConditionSamples {
  private readonly job: ChainJob<ExpiringChain>;
  /** Symbols of the tokens that were not paid out at the last reading, by chain. */
  private readonly changed = new Map<string, readonly string[]>();

  constructor(
    private readonly database: Database,
    chains: TreasuryChains,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.job = new ChainJob('payment conditions', chains.expiring, logger);
  }

  /** Reads the conditions of every chain where they are too old. Runs in the leader of the recurring jobs. */
  @RecurringJob({ role: 'worker', every: 1_000, leader: 'scheduler', when: chainsToRead })
  async takeDue(): Promise<void> {
    const chains = await this.database.rows(chainsToRead);
    await this.job.run(new Map(chains.map((chain) => [chain.id, chain])), (chain, due) => this.take(chain, due));
  }

  /** The sample is dated before the node answers, so that a late write of a paused leader counts as old. */
  private async take(chain: ExpiringChain, { hotWallet, now }: DueChain): Promise<void> {
    const { chainRef, nodes } = chain;
    const details = await nodes.attempt(async (session) => {
      const { height } = await session.client.head();
      // The bytes would name an old block, and a part of their lifetime would be gone.
      session.assertCaughtUp(height);
      return session.client.conditions(hotWallet);
    });
    await this.database.rows(insertConditions(chainRef, details, new Date(now)));
    this.reportChanges(chain, details);
  }

  /** Logs once that a token cannot be paid out any more, or can again: its withdrawals are refused, or wait. */
  private reportChanges({ chainRef, profile, payer }: ExpiringChain, details: PaymentConditions): void {
    const known = this.changed.get(chainRef) ?? [];
    const unpayable = profile.tokens.filter(({ contract }) => !payer.paysWhole(contract, details));
    const changed = unpayable.map(({ symbol }) => symbol);
    this.changed.set(chainRef, changed);
    for (const token of changed.filter((symbol) => !known.includes(symbol))) {
      this.logger.error(
        { chainRef, token },
        'A token is not paid out: its issuer takes a fee of transfers, or has deprecated its contract.',
      );
    }
    for (const token of known.filter((symbol) => !changed.includes(symbol))) {
      this.logger.info({ chainRef, token }, 'A token is paid out again.');
    }
  }
}
