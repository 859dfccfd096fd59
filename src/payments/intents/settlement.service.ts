import { Injectable } from '@nestjs/common';
import {
  type DepositFact,
  foldIntent,
  type IntentOutcome,
  isInTime,
  isTerminal,
  statusesBetween,
} from '../../domain/intent-state.js';
import { TRANSIENT_SQLSTATES } from '../../domain/transient-sqlstates.js';
import { EventsService } from '../../events/events.service.js';
import { assign } from '../../platform/database/assign.js';
import { Database, row, rows, type Tx } from '../../platform/database/database.js';
import { entityOf } from '../../platform/database/entity-of.js';
import { failpoint } from '../../platform/failpoints.js';
import { hasErrorCode } from '../../platform/processes.js';
import { JobHandler } from '../../platform/queue/job-handler.js';
import type { Jobs } from '../../platform/queue/jobs.js';
import type { PaymentDeposit } from '../deposits/payment-deposit.js';
import { DepositBooking } from './deposit-booking.service.js';
import { countFailure, deleteMark } from './dirty-intents.sql.js';
import { depositsOf } from './intent-deposits.js';
import { PaymentIntent } from './payment-intent.entity.js';
import { type ChainProgress, chainProgress, caughtUpPast } from './chain-progress.js';
import { lockIntent } from './payment-intents.sql.js';
import { paymentStateOf } from './payment-state.js';
import { findCountedOnHold, findUnsettled, passIntent, recordOutcome } from './settlement.sql.js';
import { type SettlementChanges, NO_CHANGES, recordSettlementEvents } from './settlement-events.js';

/** After this many failures in a row an intent is quarantined; the others continue. */
const FAILURES_BEFORE_QUARANTINE = 5;

interface Locked {
  readonly intent: PaymentIntent;
  readonly now: Date;
}

/**
 * Settles an intent: folds its deposits into a status, posts what is final to the pocket, and records the events, all
 * in one transaction under the intent's lock. Running it once more changes nothing.
 */
@Injectable()
export class SettlementService {
  constructor(
    private readonly database: Database,
    private readonly booking: DepositBooking,
    private readonly events: EventsService,
  ) {}

  /**
   * Settles those of the intents that are marked or due, one after the other; an earlier wake settled the rest. One
   * that fails does not stop the others.
   * @throws the failure, or an AggregateError of several.
   */
  @JobHandler('intents.settle')
  async settleAll({ intentIds }: Jobs['intents.settle']): Promise<void> {
    const failures: unknown[] = [];
    for (const { id } of await this.database.rows(findUnsettled(intentIds))) {
      try {
        await this.settle(id);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length === 1) throw failures[0];
    if (failures.length > 1) throw new AggregateError(failures, `${failures.length} payment intents failed to settle.`);
  }

  /** Settles one intent. A failure is counted, stored, and then thrown. */
  async settle(intentId: string): Promise<void> {
    try {
      failpoint('settle.before');
      const changes = await this.database.transaction((tx) => this.settleIn(tx, intentId));
      if (changes.booked.length > 0) failpoint('credit.after_commit');
      if (changes.status === 'expired') failpoint('expire.after');
      failpoint('settle.after');
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
   * Settles one intent in the caller's transaction.
   * @param releasedIds Deposits of it that staff released in this transaction
   */
  async settleIn(tx: Tx, intentId: string, releasedIds: readonly string[] = []): Promise<SettlementChanges> {
    const locked = await this.lock(tx, intentId);
    if (locked === null) return NO_CHANGES;
    const { intent, now } = locked;
    // Before the facts are read: one that commits after this statement leaves a new mark (see markDirty).
    await rows(tx, deleteMark(intentId));
    // The progress before the deposits: if it shows the chain read past the deadline, all deposits up to it are stored.
    const chain = await chainProgress(tx, intent);
    const deposits = (await depositsOf(tx, [intent.id])).get(intent.id) ?? [];
    const before = intent.status;
    const wasOpen = !isTerminal(before);
    if (wasOpen) await this.fold(tx, intent, deposits, chain, now);
    const released = deposits.filter(({ id }) => releasedIds.includes(id));
    markLate(deposits, intent, wasOpen);
    if (!wasOpen && released.length > 0) await markReleasedLate(tx, released);
    const booked = await this.booking.markBooked(tx, deposits);
    const status = intent.status === before ? null : intent.status;
    const changes: SettlementChanges = { passed: statusesBetween(before, intent.status), status, booked, released };
    await recordSettlementEvents(this.events, tx, { intent, deposits, chain }, changes);
    await this.booking.post(tx, intent, booked);
    if (changes.booked.length > 0) failpoint('credit.before_commit');
    if (changes.status === 'expired') failpoint('expire.before');
    return changes;
  }

  private async lock(tx: Tx, intentId: string): Promise<Locked | null> {
    const [found] = await rows(tx, lockIntent(intentId));
    return found === undefined ? null : { intent: entityOf(tx, PaymentIntent, found), now: new Date(found.now) };
  }

  /** Applies the outcome of the fold to the row, and to `intent` for what follows. */
  private async fold(
    tx: Tx,
    intent: PaymentIntent,
    deposits: readonly PaymentDeposit[],
    chain: ChainProgress | null,
    now: Date,
  ): Promise<void> {
    const outcome = foldIntent(intent, deposits.map(factOf), { now, caughtUp: caughtUpPast(chain, intent.expiresAt) });
    const isDue = now >= intent.expiresAt;
    const isChange = differs(intent, outcome);
    if (!isDue && !isChange) return;
    for (const passed of statusesBetween(intent.status, outcome.status)) await rows(tx, passIntent(intent.id, passed));
    const recorded = await row(tx, recordOutcome(intent.id, outcome, { isDue, isChange }));
    assign(intent, entityOf(tx, PaymentIntent, recorded));
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
