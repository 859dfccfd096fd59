import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Database, rows, type Tx } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import { Metrics } from '../../platform/metrics.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import type { Authorizations } from '../transactions/checked-signature.js';
import type { CallOrder, SweepOrder } from '../transactions/transaction-order.js';
import { stoppedAt, sweepOutcome } from './sweep-outcome.js';
import { OutcomeHandler, type TransactionOutcome } from '../transactions/outcome-handler.js';
import type { Vault } from '../../vault/vault.js';
import { countAccountFailures } from './expiring/credited-balances.sql.js';
import { authorizeSweep } from './sweep-authorizations.js';
import { countFailures } from './sweep-failures.sql.js';
import { endReturnsOnReplacedChains } from './energy/energy-returns.sql.js';
import { markBurned, subtractBurned } from './funding/fundings.sql.js';
import { ReturnedRents } from './expiring/returned-rents.service.js';
import { itemsOf, type OrderedItem, sweepOrder } from './sweep-orders.js';
import {
  abandonOnReplacedChains,
  findAnyToGiveUp,
  findSweep,
  lockOutdated,
  markSwept,
  upsertDelegations,
} from './sweep-outcomes.sql.js';
import { finishSweeps } from './sweep-rows.js';

/** A sweep that was not signed for this long is outdated and planned again. */
const UNSIGNED_FOR = '1 hour';
/** A sweep that the vault refused to sign releases its balances after this; the next plan considers the reason. */
export const UNSIGNED_AND_WAITING_FOR = '2 minutes';
const BATCH = 100;
const OUTDATED_AFTER = { unsignedFor: UNSIGNED_FOR, refusedFor: UNSIGNED_AND_WAITING_FOR };

/** Ends sweeps: the amounts that reached the hot wallet are recorded, and the rest may be tried again. */
@Injectable()
export class SweepOutcomeHandler extends OutcomeHandler {
  constructor(
    private readonly database: Database,
    private readonly metrics: Metrics,
    private readonly rents: ReturnedRents,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
  }

  orderOf(tx: Tx, sweepId: string): Promise<CallOrder | SweepOrder | null> {
    return sweepOrder(tx, sweepId);
  }

  override authorizations(vault: Vault, sweepId: string): Promise<Authorizations> {
    return authorizeSweep(this.database, vault, sweepId);
  }

  async ended(tx: Tx, outcomes: readonly TransactionOutcome[]): Promise<void> {
    for (const outcome of outcomes) await this.recordItems(tx, outcome);
  }

  /** Ends a sweep whose transaction has expired: its balances are planned again by what the chain holds then. */
  override async reopen(tx: Tx, sweepId: string): Promise<void> {
    await finishSweeps(tx, [sweepId]);
  }

  /** Ends sweeps that will never be mined: unsigned for too long, or on a replaced chain. */
  @RecurringJob({ role: 'worker', every: 2_000, leader: 'scheduler', when: findAnyToGiveUp(OUTDATED_AFTER) })
  async giveUp(): Promise<void> {
    await this.database.transaction(async (tx) => {
      await rows(tx, abandonOnReplacedChains);
      await rows(tx, endReturnsOnReplacedChains);
      const outdated = await rows(tx, lockOutdated(OUTDATED_AFTER, BATCH));
      await finishSweeps(
        tx,
        outdated.map(({ id }) => id),
      );
    });
  }

  private async recordItems(tx: Tx, outcome: TransactionOutcome): Promise<void> {
    const { purposeId: sweepId, height, fee } = outcome;
    const items = await itemsOf(tx, sweepId);
    const [sweep] = await rows(tx, findSweep(sweepId));
    if (sweep === undefined) throw new Error(`There is no sweep ${sweepId}.`);
    const { batch, treasury, ...chain } = sweep;
    const { amounts, tried } =
      batch === null ? movedTogether(items, outcome) : movedByBatch(items, outcome, { batch, treasury });
    const results = items.map(({ position }, place) => ({ position, units: amounts[place] ?? 0n }));
    await rows(tx, markBurned(sweepId, fee, height));
    await rows(tx, markSwept(sweepId, height, results));
    await rows(tx, subtractBurned(sweepId));
    const { returnedRent: amount } = outcome;
    if (amount > 0n) await this.rents.book(tx, { ...chain, sweepId, height, amount });
    // A swept item proves the delegate of its address: the batch skips all others.
    if (batch !== null) await rows(tx, upsertDelegations(sweepId, height));
    await finishSweeps(tx, [sweepId]);
    await rows(tx, countFailures(sweepId, tried));
    await rows(tx, countAccountFailures(sweepId));
    this.report(sweepId, chain.chainRef, { amounts, tried });
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
}

/** What each item of a sweep brought, and how many of the first were tried. */
interface MovedItems {
  readonly amounts: readonly bigint[];
  readonly tried: number;
}

/** One transaction moves all of it or fails, as its final changes have proven (`sweepEnd`). */
const movedTogether = (items: readonly OrderedItem[], { succeeded }: TransactionOutcome): MovedItems => ({
  amounts: items.map(({ expected }) => (succeeded ? BigInt(expected) : 0n)),
  tried: items.length,
});

/** Reads each item from the logs of the final receipt: a batch succeeds even when items fail. */
function movedByBatch(
  items: readonly OrderedItem[],
  { succeeded, logs }: TransactionOutcome,
  { batch, treasury }: { readonly batch: string; readonly treasury: string },
): MovedItems {
  const swept = succeeded ? sweepOutcome(items, logs, treasury) : [];
  const amounts = items.map((_, place) => swept[place]?.amount ?? 0n);
  return { amounts, tried: triedOf(items.length, { succeeded, stopped: stoppedAt(logs, batch) }) };
}

/**
 * Returns how many of the first items were tried. A reverted sweep tried none, unless it has a single item: there is
 * always enough gas for one, and it must not be planned endlessly.
 */
function triedOf(items: number, { succeeded, stopped }: { succeeded: boolean; stopped: number | null }): number {
  if (succeeded) return stopped ?? items;
  return items === 1 ? 1 : 0;
}
