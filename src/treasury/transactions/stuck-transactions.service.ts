import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../../platform/config.js';
import { Database } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import { JobWaker } from '../../platform/queue/job-waker.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { ChainJob } from '../chain-job.js';
import { type TreasuryChain, TreasuryChains } from '../treasury-chains.service.js';

/**
 * After this multiple of the usual wait the fee is raised in any case: the tip may be too low although the fee
 * suffices.
 */
const FORCED_AFTER_FACTOR = 10;
const ATTEMPTS_MAX = 20;
const BATCH = 100;

/** Finds stuck transactions that need a higher fee. Runs in the worker; the vault signs (`Replacements`). */
@Injectable()
export class StuckTransactions {
  private readonly job: ChainJob;

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
  @RecurringJob({ role: 'worker', every: 2_000, leader: 'scheduler' })
  async find(): Promise<void> {
    const rows = await this.database.query<{ chain_ref: string; address_key: string }>(
      `select chain_ref, address_key from hot_wallet wallet
        where frozen_reason is null and exists (
          select from chain_transaction
           where chain_ref = wallet.chain_ref and status = 'signed' and replace_wanted_at is null
             and created_at < now() - $1 * interval '1 millisecond')`,
      [this.config.treasury.stuckAfterMs],
    );
    const wallets = new Map(rows.map((row) => [row.chain_ref, row.address_key]));
    await this.job.run(wallets, (chain, sender) => this.mark(chain, sender));
  }

  private async mark({ chainRef, nodes }: TreasuryChain, sender: string): Promise<void> {
    // A mined transaction waits for finality, and not for a fee.
    const next = await nodes.attempt(async ({ client }) => client.outgoing.nonceAt(await client.head(), sender));
    const { stuckAfterMs } = this.config.treasury;
    const marked = await this.database.query<{ id: string }>(
      // A transaction that offers enough waits for those before it: only the next nonce may be delayed by its tip.
      `update chain_transaction set replace_wanted_at = now()
        where status = 'signed' and replace_wanted_at is null and id in (
          select transaction.id
            from chain_transaction transaction
            join lateral (select * from transaction_attempt where transaction_id = transaction.id
                           order by number desc limit 1) attempt on true
            join lateral (select base_fee from fee_round where chain_ref = $1 order by taken_at desc limit 1) fee on true
           where transaction.chain_ref = $1 and transaction.sender = $2 and transaction.nonce >= $3
             and transaction.status = 'signed' and transaction.replace_wanted_at is null
             and attempt.number < $4 and attempt.signed_at < now() - $5 * interval '1 millisecond'
             and (fee.base_fee + attempt.max_priority_fee_per_gas > attempt.max_fee_per_gas
                  or (transaction.nonce = $3 and attempt.signed_at < now() - $6 * interval '1 millisecond'))
           order by transaction.nonce limit $7)
        returning id`,
      [chainRef, sender, next, ATTEMPTS_MAX, stuckAfterMs, FORCED_AFTER_FACTOR * stuckAfterMs, BATCH],
    );
    this.queue.wakeMany(
      'treasury.replace',
      marked.map(({ id }) => ({ transactionId: id })),
    );
  }
}
