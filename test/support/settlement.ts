import { pino } from 'pino';
import { EventsService } from '../../src/events/events.service.js';
import { DepositBooking } from '../../src/payments/intents/deposit-booking.service.js';
import { SettlementService } from '../../src/payments/intents/settlement.service.js';
import { LedgerService } from '../../src/ledger/ledger.service.js';
import { PocketsService } from '../../src/ledger/pockets.service.js';
import type { Database } from '../../src/platform/database/database.js';
import { NoQueue } from '../../src/platform/queue/job-waker.js';
import { DepositOperations } from '../../src/suspense/deposit-operations.service.js';
import type { SeededIntent } from './factories.js';
import { query } from './sql.js';

/** Settlement as the worker runs it; nothing receives the wakes. */
export function settlementOn(database: Database, logger = pino({ level: 'silent' })): SettlementService {
  const events = new EventsService(new NoQueue());
  return new SettlementService(database, new DepositBooking(new LedgerService(), new PocketsService()), events, logger);
}

/** Where staff decide about held deposits. */
export function depositOperationsOn(database: Database): DepositOperations {
  return new DepositOperations(new LedgerService(), new PocketsService(), settlementOn(database));
}

/** The outcome of an intent: its row, its merchant's pocket and its events. */
export interface IntentState {
  readonly status: string;
  readonly failure: string | null;
  readonly received: bigint;
  readonly receivedCents: number;
  readonly overpaidCents: number;
  readonly shortfallCents: number;
  readonly completedAt: string | null;
  /** Of the merchant's pockets together, in smallest units. */
  readonly pocket: bigint;
  readonly entries: number;
  /** Types of the intent's events without their prefix, in the order in which they were recorded. */
  readonly events: readonly string[];
}

export async function stateOf(database: Database, { id, tenant }: SeededIntent): Promise<IntentState> {
  const [row] = await query<Record<string, string | null>>(
    database,
    `select status, failure_code, received_crypto_amount, received_amount_cents, overpaid_amount_cents,
            accepted_shortfall_cents, completed_at,
            (select coalesce(sum(balance), 0) from account where merchant_id = $2) as pocket,
            (select count(*) from posting join account on account.id = account_id where merchant_id = $2) as entries
       from payment_intent where id = $1`,
    [id, tenant.merchantId],
  );
  const events = await query<{ type: string }>(
    database,
    `select type from event where resource_id = $1 order by position`,
    [id],
  );
  return {
    status: row?.['status'] ?? '',
    failure: row?.['failure_code'] ?? null,
    received: BigInt(row?.['received_crypto_amount'] ?? -1),
    receivedCents: Number(row?.['received_amount_cents']),
    overpaidCents: Number(row?.['overpaid_amount_cents']),
    shortfallCents: Number(row?.['accepted_shortfall_cents']),
    completedAt: row?.['completed_at'] ?? null,
    pocket: BigInt(row?.['pocket'] ?? -1),
    entries: Number(row?.['entries']),
    events: events.map(({ type }) => type.replace('payment_intent.', '')),
  };
}
