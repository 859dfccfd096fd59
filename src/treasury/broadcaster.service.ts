import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { ChainUnavailable } from '../chains/chain.js';
import { Database, sql } from '../platform/database/database.js';
import { failpoint } from '../platform/failpoints.js';
import { LOGGER } from '../platform/logging.js';
import { TRANSACTION_OUTCOMES, type TransactionOutcomes } from './transaction-outcomes.js';
import { type TreasuryChain, TreasuryChains } from './treasury-chains.service.js';

/** Sent again this often until it is final: a node may have forgotten it, or never have passed it on. */
const SEND_AGAIN_MS = 4_000;
const BATCH = 100;

interface DueAttempt {
  readonly id: string;
  readonly chain_ref: string;
  readonly purpose_id: string;
  readonly nonce: string;
  readonly tx_hash: string;
  readonly raw_transaction: string;
}

/**
 * Sends what the vault has signed, always the same bytes, again and again until the chain has made it final. What a node
 * answers decides nothing about the payment.
 */
@Injectable()
export class Broadcaster {
  constructor(
    private readonly database: Database,
    private readonly chains: TreasuryChains,
    @Inject(TRANSACTION_OUTCOMES) private readonly outcomes: TransactionOutcomes,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Sends everything that is due, the lower nonces of a chain first. */
  async sendDue(): Promise<void> {
    for (;;) {
      const due = await this.claim();
      const byChain = Map.groupBy(due, (attempt) => attempt.chain_ref);
      await Promise.all([...byChain].map(([chainRef, attempts]) => this.sendAll(chainRef, attempts)));
      if (due.length < BATCH) return;
    }
  }

  /** Puts the next sending off, so that of several workers one sends; the newest attempt counts. */
  private claim(): Promise<DueAttempt[]> {
    return this.database.query<DueAttempt>(
      `with due as (
         select id from chain_transaction where status = 'signed' and due_at <= now()
          order by due_at limit $1 for no key update skip locked),
       claimed as (
         update chain_transaction set due_at = now() + $2 * interval '1 millisecond'
          where id in (select id from due) returning id, chain_ref, purpose_id, nonce)
       select claimed.*, attempt.tx_hash, attempt.raw_transaction
         from claimed cross join lateral (
           select tx_hash, raw_transaction from transaction_attempt
            where transaction_id = claimed.id order by number desc limit 1) attempt
        order by claimed.nonce`,
      [BATCH, SEND_AGAIN_MS],
    );
  }

  private async sendAll(chainRef: string, attempts: readonly DueAttempt[]): Promise<void> {
    const chain = await this.chains.find(chainRef);
    if (chain === null) return;
    for (const attempt of attempts) {
      try {
        await this.send(chain, attempt);
      } catch (error) {
        if (!(error instanceof ChainUnavailable)) throw error;
        // Whether the node has got it is unknown, and need not be known: the same bytes are sent again.
        this.logger.warn({ chainRef, transactionId: attempt.id, err: error }, 'a transaction could not be sent');
        return;
      }
    }
  }

  private async send(chain: TreasuryChain, attempt: DueAttempt): Promise<void> {
    const isTaken = await chain.nodes.attempt(async ({ client }) => {
      failpoint('wd.before_broadcast');
      const answer = await client.outgoing.broadcast(attempt.raw_transaction);
      if (answer.accepted || (await client.outgoing.isKnown(attempt.tx_hash))) return true;
      this.logger.warn({ transactionId: attempt.id, answer: answer.message }, 'a node did not take a transaction');
      return false;
    });
    failpoint('wd.broadcast_before_save');
    if (isTaken) await this.remember(attempt);
  }

  private async remember({ id, purpose_id: purposeId, tx_hash: txHash }: DueAttempt): Promise<void> {
    await this.database.transaction(async (tx) => {
      const open = await sql(
        tx,
        `update chain_transaction set broadcast_at = coalesce(broadcast_at, now())
          where id = $1 and status = 'signed' returning id`,
        [id],
      );
      if (open.length > 0) await this.outcomes.wasBroadcast(tx, { purposeId, txHash });
    });
  }
}
