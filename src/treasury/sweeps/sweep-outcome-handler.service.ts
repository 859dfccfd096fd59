import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Database, type Tx, sql } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import { Metrics } from '../../platform/metrics.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import type { Authorizations } from '../transactions/checked-signature.js';
import type { CallOrder } from '../transactions/transaction-order.js';
import { stoppedAt, sweepOutcome } from './sweep-outcome.js';
import { OutcomeHandler, type TransactionOutcome } from '../transactions/outcome-handler.js';
import type { Vault } from '../../vault/vault.js';
import { authorizeSweep } from './sweep-authorizations.js';
import { countFailures } from './sweep-failures.js';
import { itemsOf, sweepOrder } from './sweep-orders.js';
import { finishSweeps } from './sweep-rows.js';

/** A sweep that was not signed for this long is outdated and planned again. */
const UNSIGNED_FOR = '1 hour';
/** A sweep that the vault refused to sign releases its balances after this; the next plan considers the reason. */
export const UNSIGNED_AND_WAITING_FOR = '2 minutes';
const BATCH = 100;

/** Ends sweeps: the amounts that reached the hot wallet are recorded, and the rest may be tried again. */
@Injectable()
export class SweepOutcomeHandler extends OutcomeHandler {
  constructor(
    private readonly database: Database,
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
  }

  orderOf(tx: Tx, sweepId: string): Promise<CallOrder | null> {
    return sweepOrder(tx, sweepId);
  }

  override authorizations(vault: Vault, sweepId: string): Promise<Authorizations> {
    return authorizeSweep(this.database, vault, sweepId);
  }

  async ended(tx: Tx, outcomes: readonly TransactionOutcome[]): Promise<void> {
    for (const outcome of outcomes) await this.recordItems(tx, outcome);
  }

  /** Ends sweeps that will never be mined: unsigned for too long, or on a replaced chain. */
  @RecurringJob({ role: 'worker', every: 2_000, leader: 'scheduler' })
  async giveUp(): Promise<void> {
    await this.database.transaction(async (tx) => {
      await sql(
        tx,
        `update chain_transaction set status = 'abandoned', finished_at = now()
          where status = 'signed' and purpose in ('sweep', 'contract')
            and chain_ref in (select id from chain where not active)`,
      );
      const rows = await sql<{ id: string }>(
        tx,
        `select sweep.id from sweep join chain on chain.id = sweep.chain_ref
          where sweep.finished_at is null
            and (not chain.active or (sweep.signed_at is null
                 and sweep.created_at < now() - case when waiting_reason is null then $1 else $2 end::interval))
          order by sweep.id limit $3 for update of sweep skip locked`,
        [UNSIGNED_FOR, UNSIGNED_AND_WAITING_FOR, BATCH],
      );
      await finishSweeps(
        tx,
        rows.map(({ id }) => id),
      );
    });
  }

  /** Records each item by the logs of the final receipt: a batch succeeds even when items fail. */
  private async recordItems(
    tx: Tx,
    { purposeId: sweepId, succeeded, height, logs }: TransactionOutcome,
  ): Promise<void> {
    const items = await itemsOf(tx, sweepId);
    const [sweep] = await sql<{ treasury: string; batch: string; chain_ref: string }>(
      tx,
      `select wallet.address_key as treasury, sweep.batch, sweep.chain_ref
         from sweep join hot_wallet wallet on wallet.chain_ref = sweep.chain_ref where sweep.id = $1`,
      [sweepId],
    );
    if (sweep === undefined) throw new Error(`There is no sweep ${sweepId}.`);
    const swept = succeeded ? sweepOutcome(items, logs, sweep.treasury) : [];
    const amounts = items.map((_, place) => swept[place]?.amount ?? 0n);
    await sql(
      tx,
      `update sweep_item set swept = outcome.units, swept_height = case when outcome.units > 0 then $2::bigint end
         from unnest($3::int[], $4::numeric[]) as outcome (position, units)
        where sweep_item.sweep_id = $1 and sweep_item.position = outcome.position`,
      [sweepId, height, items.map(({ position }) => position), amounts.map(String)],
    );
    await this.rememberDelegates(tx, sweepId, height);
    await finishSweeps(tx, [sweepId]);
    const tried = triedOf(items.length, { succeeded, stopped: stoppedAt(logs, sweep.batch) });
    await countFailures(tx, { sweepId, tried });
    this.report(sweepId, sweep.chain_ref, { amounts, tried });
  }

  private report(
    sweepId: string,
    chainRef: string,
    { amounts, tried }: { readonly amounts: readonly bigint[]; readonly tried: number },
  ): void {
    const swept = amounts.filter((amount) => amount > 0n).length;
    const failed = amounts.slice(0, tried).filter((amount) => amount === 0n).length;
    const untried = amounts.length - swept - failed;
    this.metrics.treasury.countSweepItems(chainRef, { swept, failed, untried });
    if (swept === amounts.length) return;
    this.logger.warn({ sweepId, swept, failed, untried }, 'Some addresses of a sweep transferred no funds.');
  }

  /** A swept item proves the delegate of its address: the batch skips all others. */
  private async rememberDelegates(tx: Tx, sweepId: string, height: number): Promise<void> {
    await sql(
      tx,
      `insert into delegation (chain_ref, address_id, delegate, since_height)
       select distinct item.chain_ref, item.address_id, sweep.delegate, $2::bigint
         from sweep_item item join sweep on sweep.id = item.sweep_id
        where item.sweep_id = $1 and item.swept > 0
       on conflict (chain_ref, address_id) do update
         set delegate = excluded.delegate, since_height = excluded.since_height
       where delegation.delegate <> excluded.delegate and delegation.since_height <= excluded.since_height`,
      [sweepId, height],
    );
  }
}

/**
 * Returns how many of the first items were tried. A reverted sweep tried none, unless it has a single item: there is
 * always enough gas for one, and it must not be planned endlessly.
 */
function triedOf(items: number, { succeeded, stopped }: { succeeded: boolean; stopped: number | null }): number {
  if (succeeded) return stopped ?? items;
  return items === 1 ? 1 : 0;
}
