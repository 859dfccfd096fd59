import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { ChainUnavailable } from '../../chains/chain.js';
import type { NodeSession } from '../../chains/nodes/chain-nodes.js';
import type { Environment } from '../../domain/network.js';
import { Database } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { ChainJob } from '../chain-job.js';
import { type ExpiringChain, type ExpiringNode, TreasuryChains } from '../treasury-chains.service.js';
import { EXPIRING_FAMILIES } from './expiring-families.js';
import { findChainsToRead, insertConditions } from './payment-conditions.sql.js';

/** A payment is signed with the newest block, so its conditions are read often while one waits. */
const AGES = { busy: 4, idle: 30 };
/**
 * The most that a newest block may be ahead of the clock. Bytes of Tron expire 90 s after it, so that they live no longer than
 * the catalogue says (`transactionLifetimeMs`, 120 s).
 */
const AHEAD_MAX_MS = 30_000;
const OPINION_WITHIN_MS = 1_500;

type DueChain = RowOf<typeof findChainsToRead>;

/** Reads the fees and the newest block of chains whose transactions expire, so that neither the vault nor a request asks a node. */
@Injectable()
export class ConditionSamples {
  private readonly job: ChainJob<ExpiringChain>;

  constructor(
    private readonly database: Database,
    chains: TreasuryChains,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.job = new ChainJob('payment conditions', chains.expiring, logger);
  }

  /** Reads the conditions of every chain where they are too old. Runs in the leader of the recurring jobs. */
  @RecurringJob({ role: 'worker', every: 1_000, leader: 'scheduler' })
  async takeDue(): Promise<void> {
    const chains = await this.database.rows(findChainsToRead(EXPIRING_FAMILIES, AGES));
    await this.job.run(new Map(chains.map((chain) => [chain.id, chain])), (chain, due) => this.take(chain, due));
  }

  /** The sample is dated before the node answers, so that a late write of a paused leader counts as old. */
  private async take({ chainRef, profile, nodes }: ExpiringChain, { hotWallet, now }: DueChain): Promise<void> {
    const details = await nodes.attempt(async (session) => {
      const { height, time } = await session.client.head();
      await assertNotAhead(session, profile.environment, time.getTime(), new Date(now).getTime());
      // The bytes would name an old block, and a part of their lifetime would be gone.
      session.assertCaughtUp(height);
      return session.client.conditions(hotWallet);
    });
    await this.database.rows(insertConditions(chainRef, details, new Date(now)));
  }
}

/**
 * A node whose newest block is from the future would make bytes live longer than others assume. In live, the database's clock
 * decides. The chains of a sandbox may be ahead of it: there another node does.
 * @throws ChainUnavailable for such a node: the next one is asked
 */
async function assertNotAhead(
  session: NodeSession<ExpiringNode>,
  environment: Environment,
  headTime: number,
  now: number,
): Promise<void> {
  if (headTime - now <= AHEAD_MAX_MS) return;
  if (environment === 'sandbox') {
    const others = await session.askOthers((client) => client.head(), { withinMs: OPINION_WITHIN_MS });
    if (!others.some(({ answer }) => headTime - answer.time.getTime() > AHEAD_MAX_MS)) return;
  }
  throw new ChainUnavailable(
    `${session.label} shows a block that is ${Math.round((headTime - now) / 1000)} s in the future: nothing is signed by it.`,
  );
}
