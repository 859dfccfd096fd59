import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { SendingClient } from '../../chains/outgoing.js';
import { Database, rows } from '../../platform/database/database.js';
import { failpoint } from '../../platform/failpoints.js';
import { LOGGER } from '../../platform/logging.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { JobHandler } from '../../platform/queue/job-handler.js';
import { ChainJob } from '../chain-job.js';
import { chainsWithDue, claimDue, lockOpen, markBroadcast } from './broadcasts.sql.js';
import { FAILPOINT_PREFIXES, type OutcomeHandlers, OUTCOME_HANDLERS } from './outcome-handler.js';
import type { SendingChain } from './sending-nodes.js';
import { TreasuryChains } from '../treasury-chains.service.js';

/**
 * Time until the first resend; later ones are further apart. A node may have dropped the transaction or never have
 * relayed it.
 */
const SEND_AGAIN_MS = 4_000;
const SEND_AGAIN_MAX_MS = 60_000;
/** A transaction that expires has a minute at most. */
const EXPIRING_AGAIN_MS = 2_000;
const EXPIRING_AGAIN_MAX_MS = 4_000;
const BATCH = 200;
/** Sent to a node in one request, which accepts them in the order of the request. */
const SENT_TOGETHER = 50;
/** A slower node gets the resends of the next round. */
const SPREAD_WITHIN_MS = 3_000;

type DueAttempt = RowOf<typeof claimDue>;

/**
 * Sends signed transactions, always the same bytes, until the chain has made them final. The answer of a node decides
 * nothing about the payment.
 */
@Injectable()
export class Broadcaster {
  private readonly job: ChainJob<SendingChain>;

  constructor(
    private readonly database: Database,
    chains: TreasuryChains,
    @Inject(OUTCOME_HANDLERS) private readonly handlers: OutcomeHandlers,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.job = new ChainJob('broadcast', chains.sending, logger);
  }

  /** Sends due transactions, the lower nonces of a chain first. A chain that is down or hangs delays no other. */
  @RecurringJob({ role: 'worker', every: 1_000, when: chainsWithDue })
  @JobHandler('treasury.broadcast')
  async sendDue(): Promise<void> {
    const due = await this.database.rows(chainsWithDue);
    await this.job.run(new Map(due.map(({ chainRef }) => [chainRef, null])), (chain) => this.sendAll(chain));
  }

  /** Sends until nothing is due, including transactions that were signed meanwhile. */
  private async sendAll(chain: SendingChain): Promise<void> {
    for (;;) {
      const due = await this.claim(chain);
      if (due.length === 0) return;
      for (let from = 0; from < due.length; from += SENT_TOGETHER) {
        await this.send(chain, due.slice(from, from + SENT_TOGETHER));
      }
      await this.spread(
        chain,
        due.filter((attempt) => attempt.wasTaken),
      );
    }
  }

  /**
   * Claims due transactions by postponing their next send, so that one of several workers sends them. Returns the
   * newest attempt of each.
   */
  private claim({ chainRef, expires }: SendingChain): Promise<DueAttempt[]> {
    const afterMs = expires ? EXPIRING_AGAIN_MS : SEND_AGAIN_MS;
    const atLatestMs = expires ? EXPIRING_AGAIN_MAX_MS : SEND_AGAIN_MAX_MS;
    return this.database.rows(claimDue(chainRef, { limit: BATCH, afterMs, atLatestMs }));
  }

  private async send({ nodes }: SendingChain, attempts: readonly DueAttempt[]): Promise<void> {
    for (const { purpose } of attempts) failpoint(`${FAILPOINT_PREFIXES[purpose]}.before_broadcast`);
    const refused = await nodes.attempt((client) => refusedBy(client, attempts));
    for (const { purpose } of attempts) failpoint(`${FAILPOINT_PREFIXES[purpose]}.broadcast_before_save`);
    for (const [attempt, answer] of refused) {
      if (await this.isAcceptedElsewhere(nodes, attempt)) refused.delete(attempt);
      else this.logger.warn({ transactionId: attempt.id, answer }, 'No node accepted the transaction.');
    }
    await this.recordAccepted(attempts.filter((attempt) => !refused.has(attempt)));
  }

  /** A node that accepts a transaction may not relay it, so resends go to all nodes. */
  private async spread({ nodes }: SendingChain, again: readonly DueAttempt[]): Promise<void> {
    if (nodes.count === 1 || again.length === 0) return;
    const raws = again.map((attempt) => attempt.rawTransaction);
    await nodes.ask((client) => client.broadcastAll(raws), { withinMs: SPREAD_WITHIN_MS });
  }

  /**
   * Offers a refused transaction to the other nodes, which may have another limit, more room, or the transaction
   * already.
   */
  private async isAcceptedElsewhere(nodes: SendingChain['nodes'], attempt: DueAttempt): Promise<boolean> {
    const answers = await nodes.ask(async (client) => (await refusedBy(client, [attempt])).size === 0);
    return answers.some(({ answer }) => answer);
  }

  private async recordAccepted(taken: readonly DueAttempt[]): Promise<void> {
    if (taken.length === 0) return;
    await this.database.transaction(async (tx) => {
      const locked = await rows(tx, lockOpen(taken.map(({ id }) => id)));
      const open = new Set(locked.map(({ id }) => id));
      await rows(tx, markBroadcast([...open]));
      const byPurpose = Map.groupBy(
        taken.filter(({ id }) => open.has(id)),
        ({ purpose }) => purpose,
      );
      for (const [purpose, attempts] of byPurpose) {
        await this.handlers[purpose].wereBroadcast(tx, attempts);
      }
    });
  }
}

/** Sends attempts to a node; returns those that it neither accepted nor already has, with its answer. */
async function refusedBy(client: SendingClient, attempts: readonly DueAttempt[]): Promise<Map<DueAttempt, string>> {
  const answers = await client.broadcastAll(attempts.map((attempt) => attempt.rawTransaction));
  const refused = attempts.flatMap((attempt, place) => {
    const answer = answers[place];
    return answer === undefined || answer.accepted ? [] : [[attempt, answer.message] as const];
  });
  const known = await client.areKnown(refused.map(([attempt]) => attempt.txHash));
  return new Map(refused.filter((_refused, place) => known[place] !== true));
}
