import { Injectable } from '@nestjs/common';
import type { Environment } from '../domain/network.js';
import type { DepositHolding } from '../payments/deposits/deposit.entity.js';
import { type StaffDeposit, staffDepositOf } from '../payments/deposits/staff-deposit.js';
import { unattributedReasonText } from '../payments/deposits/unattributed-reason.js';
import { Database } from '../platform/database/database.js';
import type { RowOf } from '../platform/sql/sql.js';
import { countUnbooked, holdingTotals, listedDeposits, withoutPocketPage } from './staff-deposits.sql.js';

/** Which deposits to list, and where the page begins: after the deposit of this id, or at the oldest. */
export interface DepositsWithoutPocketPage {
  readonly holdings: readonly DepositHolding[];
  /** Of all environments without one. */
  readonly environment?: Environment;
  readonly limit: number;
  readonly after: string | null;
}

/** A final deposit that is in no pocket: unattributed, frozen, kept or being refunded. */
export interface DepositWithoutPocket extends StaffDeposit {
  /** When it was booked, ISO 8601. */
  readonly bookedAt: string;
  readonly heldAs: DepositHolding;
  /** Null when a chain's own coin arrived inside of a contract. */
  readonly sender: string | null;
  /** In plain words, why it is in no pocket. */
  readonly explanation: string;
}

/** How many deposits have one holding, and the age of the oldest. */
export type HoldingTotal = RowOf<typeof holdingTotals>;

/** A deposit of a sender on the sanctions list; the amount in smallest units, as text. */
export type ListedDeposit = RowOf<typeof listedDeposits>;

type WithoutPocketRow = RowOf<typeof withoutPocketPage>;

/** Reads the deposits that are in suspense, frozen or being refunded: for staff, over all merchants. */
@Injectable()
export class DepositsWithoutPocket {
  constructor(private readonly database: Database) {}

  /** Returns up to `limit` deposits, the oldest first. */
  async page({
    holdings,
    environment,
    limit,
    after,
  }: DepositsWithoutPocketPage): Promise<readonly DepositWithoutPocket[]> {
    const found = await this.database.rows(
      withoutPocketPage({ holdings, environment: environment ?? null }, after ?? '', limit),
    );
    return found.map(depositWithoutPocketOf);
  }

  /** Returns the newest deposits whose sender was on the sanctions list when they became final. */
  listed(environment: Environment, limit: number): Promise<readonly ListedDeposit[]> {
    return this.database.rows(listedDeposits(environment, limit));
  }

  /** Returns the totals by holding; a holding without deposits is left out. */
  async totals(): Promise<readonly HoldingTotal[]> {
    const totals = await this.database.rows(holdingTotals);
    return totals.map(({ oldestSeconds, ...total }) => ({ ...total, oldestSeconds: Math.max(0, oldestSeconds) }));
  }

  /** Counts the unattributed final deposits that a worker should have booked long ago. */
  async unbooked(): Promise<number> {
    const [row] = await this.database.rows(countUnbooked);
    return row?.count ?? 0;
  }
}

function depositWithoutPocketOf(row: WithoutPocketRow): DepositWithoutPocket {
  return {
    ...staffDepositOf(row),
    bookedAt: new Date(row.bookedAt).toISOString(),
    heldAs: row.heldAs,
    sender: row.fromAddress,
    explanation: explanationOf(row),
  };
}

function explanationOf(row: WithoutPocketRow): string {
  if (row.heldAs === 'returning') return `on its way to ${row.refundDestination} by ${row.refundId}`;
  if (row.heldAs !== 'suspense') return `sender ${row.fromAddress} on the sanctions list${nameOf(row)}`;
  if (row.unattributedReason === null) throw new Error(`Deposit ${row.id} is in suspense without a reason.`);
  return unattributedReasonText(row.unattributedReason, { network: row.intentNetwork, token: row.intentToken });
}

const nameOf = ({ listedName }: WithoutPocketRow): string => (listedName === null ? '' : ` (${listedName})`);
