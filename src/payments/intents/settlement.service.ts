import { Injectable } from '@nestjs/common';
import {
  type DepositFact,
  foldIntent,
  type IntentOutcome,
  isInTime,
  isTerminal,
  statusesBetween,
  OPEN_STATUSES,
} from '../../domain/intent-state.js';
import { TRANSIENT_SQLSTATES } from '../../domain/transient-sqlstates.js';
import { EventsService } from '../../events/events.service.js';
import { Database, type Tx, sql, sqlOne } from '../../platform/database/database.js';
import { detached } from '../../platform/database/detached.js';
import { failpoint } from '../../platform/failpoints.js';
import { hasErrorCode } from '../../platform/processes.js';
import { JobHandler } from '../../platform/queue/job-handler.js';
import type { Jobs } from '../../platform/queue/jobs.js';
import type { Deposit } from '../deposits/deposit.entity.js';
import { DepositBooking } from './deposit-booking.service.js';
import { textList } from '../../platform/database/text-list.js';
import { depositsOf } from './intent-deposits.js';
import { PaymentIntent } from './payment-intent.entity.js';
import { type ChainProgress, chainProgress, caughtUpPast } from './chain-progress.js';
import { paymentStateOf } from './payment-state.js';
import { type SettlementChanges, NO_CHANGES, recordSettlementEvents } from './settlement-events.js';

/** After this many failures in a row an intent is quarantined; the others continue. */
const FAILURES_BEFORE_QUARANTINE = 5;

/**
 * An intent that is due without an outcome is settled again after a tenth of the time it has waited, within these
 * bounds.
 */
const RECHECK_MIN_SECONDS = 1;
const RECHECK_MAX_SECONDS = 30;

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
    for (const id of await this.unsettled(intentIds)) {
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

  private async unsettled(intentIds: readonly string[]): Promise<readonly string[]> {
    const rows = await this.database.query<{ id: string }>(
      `select intent.id from payment_intent intent left join dirty_intent mark on mark.intent_id = intent.id
        where intent.id = any($1) and mark.quarantined_at is null
          and (mark.intent_id is not null
               or (intent.status in ${textList(OPEN_STATUSES)} and intent.due_at <= now()))`,
      [intentIds],
    );
    return rows.map(({ id }) => id);
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
    await sql(tx, `delete from dirty_intent where intent_id = $1`, [intentId]);
    // The progress before the deposits: if it shows the chain read past the deadline, all deposits up to it are stored.
    const chain = intent.chainRef === null ? null : await chainProgress(tx, intent.chainRef);
    const deposits = (await depositsOf(tx, [intent.id])).get(intent.id) ?? [];
    const before = intent.status;
    const wasOpen = !isTerminal(before);
    if (wasOpen) await this.fold(tx, intent, deposits, chain, now);
    const released = deposits.filter(({ id }) => releasedIds.includes(id));
    markLate(deposits, intent, wasOpen);
    if (!wasOpen && released.length > 0) await markReleasedLate(tx, released);
    const booked = await this.booking.book(tx, intent, deposits);
    const status = intent.status === before ? null : intent.status;
    const changes: SettlementChanges = { passed: statusesBetween(before, intent.status), status, booked, released };
    await recordSettlementEvents(this.events, tx, { intent, deposits, chain }, changes);
    if (changes.booked.length > 0) failpoint('credit.before_commit');
    if (changes.status === 'expired') failpoint('expire.before');
    return changes;
  }

  private async lock(tx: Tx, intentId: string): Promise<Locked | null> {
    const [row] = await sql<Record<string, unknown> & { db_now: string }>(
      tx,
      `select payment_intent.*, clock_timestamp() as db_now from payment_intent
        where id = $1 for no key update`,
      [intentId],
    );
    if (row === undefined) return null;
    const { db_now: now, ...columns } = row;
    return { intent: detached(tx, PaymentIntent, columns), now: new Date(now) };
  }

  /** Applies the outcome of the fold to the row, and to `intent` for what follows. */
  private async fold(
    tx: Tx,
    intent: PaymentIntent,
    deposits: readonly Deposit[],
    chain: ChainProgress | null,
    now: Date,
  ): Promise<void> {
    const outcome = foldIntent(intent, deposits.map(factOf), { now, caughtUp: caughtUpPast(chain, intent.expiresAt) });
    const isDue = now >= intent.expiresAt;
    if (!isDue && !differs(intent, outcome)) return;
    for (const passed of statusesBetween(intent.status, outcome.status)) {
      await sql(tx, `update payment_intent set status = $2 where id = $1`, [intent.id, passed]);
    }
    const row = await sqlOne<Record<string, unknown>>(
      tx,
      `update payment_intent
          set status = $2, failure_code = $3, received_crypto_amount = $4, received_amount_cents = $5,
              overpaid_amount_cents = $6, accepted_shortfall_cents = $7,
              completed_at = case when $2 = 'completed' then now() end,
              updated_at = case when $8 then now() else updated_at end,
              due_at = case when $12 then null
                            when $9 then now() + greatest(least((now() - expires_at) / 10, make_interval(secs => $11)),
                              make_interval(secs => $10)) else due_at end
        where id = $1 returning *`,
      [
        intent.id,
        outcome.status,
        outcome.failure,
        outcome.receivedUnits.toString(),
        outcome.receivedCents,
        outcome.overpaidCents,
        outcome.acceptedShortfallCents,
        differs(intent, outcome),
        isDue,
        RECHECK_MIN_SECONDS,
        RECHECK_MAX_SECONDS,
        outcome.awaitsStaff,
      ],
    );
    Object.assign(intent, detached(tx, PaymentIntent, row));
  }

  /** Counts the failure; returns true when it is the one that quarantines the intent. */
  private async rememberFailure(intentId: string, error: unknown): Promise<boolean> {
    const [mark] = await this.database.query<{ failures: number }>(
      `insert into dirty_intent (intent_id, failures, last_error) values ($1, 1, $2)
       on conflict (intent_id) do update
         set failures = dirty_intent.failures + 1, last_error = excluded.last_error, marked_at = now(),
             quarantined_at = case when dirty_intent.failures + 1 >= $3 then now() end
       returning failures`,
      [intentId, error instanceof Error ? error.message.slice(0, 1000) : 'unknown', FAILURES_BEFORE_QUARANTINE],
    );
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

function factOf(deposit: Deposit): DepositFact {
  const { amount, blockTime, seenAt } = deposit;
  return { amount, blockTime, seenAt, status: paymentStateOf(deposit) };
}

/**
 * Marks deposits that did not count as late: out of time, first seen after the end, or not final when the intent
 * completed. While the intent is open, a reorg may change the answer; its last fold decides.
 */
function markLate(deposits: readonly Deposit[], intent: PaymentIntent, wasOpen: boolean): void {
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
async function markReleasedLate(tx: Tx, released: readonly Deposit[]): Promise<void> {
  const ids = released.map(({ id }) => id);
  const rows = await sql<{ id: string }>(
    tx,
    `select deposit_id as id from counted_on_hold where deposit_id = any($1)`,
    [ids],
  );
  const counted = new Set(rows.map(({ id }) => id));
  for (const deposit of released) deposit.late = !counted.has(deposit.id);
}
