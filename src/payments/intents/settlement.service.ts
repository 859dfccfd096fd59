import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import {
  type DepositFact,
  foldIntent,
  type IntentOutcome,
  type IntentStatus,
  isInTime,
  isTerminal,
  statusesBetween,
} from '../../domain/intent-state.js';
import { TRANSIENT_SQLSTATES } from '../../domain/transient-sqlstates.js';
import { EventsService, type NewEvent } from '../../events/events.service.js';
import { assign } from '../../platform/database/assign.js';
import { Database, rows, type Tx } from '../../platform/database/database.js';
import { entityOf } from '../../platform/database/entity-of.js';
import { failpoint } from '../../platform/failpoints.js';
import { LOGGER } from '../../platform/logging.js';
import { hasErrorCode } from '../../platform/processes.js';
import { JobHandler } from '../../platform/queue/job-handler.js';
import type { Jobs } from '../../platform/queue/jobs.js';
import type { RowOf } from '../../platform/sql/sql.js';
import type { PaymentDeposit } from '../deposits/payment-deposit.js';
import { DepositBooking } from './deposit-booking.service.js';
import { countFailure, deleteMarks } from './dirty-intents.sql.js';
import { depositsOf } from './intent-deposits.js';
import { PaymentIntent } from './payment-intent.entity.js';
import { chainProgress, caughtUpPast } from './chain-progress.js';
import { lockIntents } from './payment-intents.sql.js';
import { paymentStateOf } from './payment-state.js';
import {
  findCountedOnHold,
  findUnsettled,
  type FoldedIntent,
  lockIdleUnsettled,
  passIntents,
  recordOutcomes,
} from './settlement.sql.js';
import { type Settled, type SettlementChanges, settlementEvents } from './settlement-events.js';

/** After this many failures in a row an intent is quarantined; the others continue. */
const FAILURES_BEFORE_QUARANTINE = 5;

/** An intent alone costs several times as much. More than these gain little, and hold their locks longer. */
const INTENTS_PER_TRANSACTION = 25;

/** A locked intent with what its settlement decides by. */
interface Settling extends Settled {
  /** The database's time at which it was locked. */
  readonly now: Date;
  readonly before: IntentStatus;
}

interface ChangedIntent extends Settling {
  readonly changes: SettlementChanges;
}

/**
 * Settles intents: folds the deposits of each into a status, posts what is final to the pockets, and records the events, all
 * in one transaction under the locks of the intents. Running it once more changes nothing.
 */
@Injectable()
export class SettlementService {
  constructor(
    private readonly database: Database,
    private readonly booking: DepositBooking,
    private readonly events: EventsService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Settles those of the intents that are marked or due, several in a transaction. Locked ones follow one by one. When one fails,
   * all of its transaction follow one by one, so that it does not stop the others.
   * @throws the failure, or an AggregateError of several.
   */
  @JobHandler('intents.settle')
  async settleAll({ intentIds }: Jobs['intents.settle']): Promise<void> {
    const left: string[] = [];
    for (let first = 0; first < intentIds.length; first += INTENTS_PER_TRANSACTION) {
      const together = intentIds.slice(first, first + INTENTS_PER_TRANSACTION);
      left.push(...(together.length > 1 ? await this.settleTogether(together) : together));
    }
    const failures = await this.settleEach(left);
    if (failures.length === 1) throw failures[0];
    if (failures.length > 1) throw new AggregateError(failures, `${failures.length} payment intents failed to settle.`);
  }

  /** Settles one intent. A failure is counted, stored, and then thrown. */
  async settle(intentId: string): Promise<void> {
    try {
      await this.commit([intentId], lockIntents);
    } catch (error) {
      if (isTransient(error)) throw error;
      if (!(await this.rememberFailure(intentId, error))) throw error;
      throw new Error(
        `Payment intent ${intentId} is quarantined: settling it failed ${FAILURES_BEFORE_QUARANTINE} times.`,
        { cause: error },
      );
    }
  }

  /**
   * Settles intents in the caller's transaction.
   * @param releasedIds Deposits of them that staff released in this transaction
   */
  async settleIn(tx: Tx, intentIds: readonly string[], releasedIds: readonly string[] = []): Promise<void> {
    await this.changesIn(tx, intentIds, { locking: lockIntents, releasedIds });
  }

  /**
   * Settles those of the intents that need it in one transaction, without those that are locked. Returns the others: all when
   * one fails.
   */
  private async settleTogether(intentIds: readonly string[]): Promise<readonly string[]> {
    try {
      const settled = await this.commit(intentIds, lockIdleUnsettled);
      const ids = new Set(settled.map(({ intent }) => intent.id));
      return intentIds.filter((id) => !ids.has(id));
    } catch (error) {
      this.logger.warn({ err: error, intentIds }, 'Payment intents are settled one by one: they failed together.');
      return intentIds;
    }
  }

  /** Settles those of the intents that need it in a transaction each. Returns the failures. */
  private async settleEach(intentIds: readonly string[]): Promise<readonly unknown[]> {
    if (intentIds.length === 0) return [];
    const failures: unknown[] = [];
    for (const { id } of await this.database.rows(findUnsettled(intentIds))) {
      try {
        await this.settle(id);
      } catch (error) {
        failures.push(error);
      }
    }
    return failures;
  }

  private async commit(intentIds: readonly string[], locking: typeof lockIntents): Promise<readonly ChangedIntent[]> {
    failpoint('settle.before');
    const settled = await this.database.transaction((tx) => this.changesIn(tx, intentIds, { locking }));
    if (settled.some(({ changes }) => changes.booked.length > 0)) failpoint('credit.after_commit');
    if (settled.some(({ changes }) => changes.status === 'expired')) failpoint('expire.after');
    failpoint('settle.after');
    return settled;
  }

  private async changesIn(
    tx: Tx,
    intentIds: readonly string[],
    { locking, releasedIds = [] }: { readonly locking: typeof lockIntents; readonly releasedIds?: readonly string[] },
  ): Promise<readonly ChangedIntent[]> {
    const settling = await this.read(tx, await rows(tx, locking(intentIds)));
    if (settling.length === 0) return [];
    await this.fold(
      tx,
      settling.filter(({ before }) => !isTerminal(before)),
    );
    for (const { intent, deposits, before } of settling) {
      const wasOpen = !isTerminal(before);
      markLate(deposits, intent, wasOpen);
      const released = deposits.filter(({ id }) => releasedIds.includes(id));
      if (!wasOpen && released.length > 0) await markReleasedLate(tx, released);
    }
    const booked = await this.booking.markBooked(
      tx,
      settling.flatMap(({ deposits }) => deposits),
    );
    const settled = settling.map((one) => ({ ...one, changes: changesOf(one, booked, releasedIds) }));
    const events: NewEvent[] = [];
    for (const { changes, ...one } of settled) events.push(...(await settlementEvents(tx, one, changes)));
    if (events.length > 0) await this.events.recordAll(tx, events);
    await this.booking.post(
      tx,
      settled.map(({ intent, changes }) => ({ intent, booked: changes.booked })),
    );
    if (booked.size > 0) failpoint('credit.before_commit');
    if (settled.some(({ changes }) => changes.status === 'expired')) failpoint('expire.before');
    return settled;
  }

  /** Reads the facts about locked intents. */
  private async read(tx: Tx, locked: readonly RowOf<typeof lockIntents>[]): Promise<readonly Settling[]> {
    if (locked.length === 0) return [];
    const ids = locked.map(({ id }) => id);
    // Before the facts are read: one that commits after this statement leaves a new mark (see markDirty).
    await rows(tx, deleteMarks(ids));
    // The progress before the deposits: if it shows the chain read past the deadline, all deposits up to it are stored.
    const chains = await chainProgress(tx, ids);
    const deposits = await depositsOf(tx, ids);
    return locked.map((found) => ({
      intent: entityOf(tx, PaymentIntent, found),
      now: new Date(found.now),
      before: found.status,
      deposits: deposits.get(found.id) ?? [],
      chain: chains.get(found.id) ?? null,
    }));
  }

  /** Applies the outcomes of the folds to the rows, and to the intents for what follows. */
  private async fold(tx: Tx, open: readonly Settling[]): Promise<void> {
    const folded: FoldedIntent[] = [];
    const passing: { readonly id: string; readonly through: IntentStatus }[] = [];
    for (const { intent, deposits, chain, now } of open) {
      const caughtUp = caughtUpPast(chain, intent.expiresAt);
      const outcome = foldIntent(intent, deposits.map(factOf), { now, caughtUp });
      const [isDue, isChange] = [now >= intent.expiresAt, differs(intent, outcome)];
      if (!isDue && !isChange) continue;
      folded.push({ id: intent.id, outcome, isDue, isChange });
      for (const through of statusesBetween(intent.status, outcome.status)) passing.push({ id: intent.id, through });
    }
    if (folded.length === 0) return;
    for (const [status, some] of Map.groupBy(passing, ({ through }) => through)) {
      const ids = some.map(({ id }) => id);
      await rows(tx, passIntents(ids, status));
    }
    const recorded = new Map((await rows(tx, recordOutcomes(folded))).map((found) => [found.id, found]));
    for (const { intent } of open) {
      const found = recorded.get(intent.id);
      if (found !== undefined) assign(intent, entityOf(tx, PaymentIntent, found));
    }
  }

  /** Counts the failure; returns true when it is the one that quarantines the intent. */
  private async rememberFailure(intentId: string, error: unknown): Promise<boolean> {
    const message = error instanceof Error ? error.message.slice(0, 1000) : 'unknown';
    const [mark] = await this.database.rows(countFailure(intentId, message, FAILURES_BEFORE_QUARANTINE));
    return mark?.failures === FAILURES_BEFORE_QUARANTINE;
  }
}

/** The database was busy or went away: that says nothing about the intent, whose mark is still there. */
export function isTransient(error: unknown): boolean {
  return hasErrorCode(error, ...TRANSIENT_SQLSTATES);
}

function changesOf(
  { intent, deposits, before }: Settling,
  booked: ReadonlySet<PaymentDeposit>,
  releasedIds: readonly string[],
): SettlementChanges {
  return {
    passed: statusesBetween(before, intent.status),
    status: intent.status === before ? null : intent.status,
    booked: deposits.filter((deposit) => booked.has(deposit)),
    released: deposits.filter(({ id }) => releasedIds.includes(id)),
  };
}

function differs(intent: PaymentIntent, outcome: IntentOutcome): boolean {
  return (
    intent.status !== outcome.status ||
    intent.receivedCryptoAmount !== outcome.receivedUnits ||
    intent.receivedAmountCents !== outcome.receivedCents
  );
}

function factOf(deposit: PaymentDeposit): DepositFact {
  const { amount, blockTime, seenAt } = deposit;
  return { amount, blockTime, seenAt, status: paymentStateOf(deposit) };
}

/**
 * Marks deposits that did not count as late: out of time, first seen after the end, or not final when the intent
 * completed. While the intent is open, a reorg may change the answer; its last fold decides.
 */
function markLate(deposits: readonly PaymentDeposit[], intent: PaymentIntent, wasOpen: boolean): void {
  for (const deposit of deposits) {
    if (!wasOpen) deposit.late ??= true;
    else if (intent.status === 'completed' && deposit.status === 'seen') deposit.late = true;
    else deposit.late = !isInTime(deposit, intent.expiresAt);
  }
}

/**
 * A deposit released after the end of its intent did not count for it, unless the intent completed while holds still
 * counted.
 */
async function markReleasedLate(tx: Tx, released: readonly PaymentDeposit[]): Promise<void> {
  const found = await rows(tx, findCountedOnHold(released.map(({ id }) => id)));
  const counted = new Set(found.map(({ depositId }) => depositId));
  for (const deposit of released) deposit.late = !counted.has(deposit.id);
}
