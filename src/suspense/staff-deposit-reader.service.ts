import { Injectable } from '@nestjs/common';
import { notFound } from '../domain/errors.js';
import type { Environment } from '../domain/network.js';
import { type StaffDeposit, staffDepositOf } from '../payments/deposits/staff-deposit.js';
import { Database } from '../platform/database/database.js';
import type { RowOf } from '../platform/sql/sql.js';
import { type RecordedVerdict, verdictsOn } from '../treasury/transactions/transaction-record.js';
import { type RefundDetails, RefundReader } from './refunds/refund-reader.service.js';
import { Refund } from './refunds/refund.entity.js';
import { findStaffDeposit } from './staff-deposit.sql.js';
import { type DepositOffer, type DepositState, offersFor, sentenceFor } from './staff-deposit-state.js';

type DepositRow = RowOf<typeof findStaffDeposit>;

/** Everything that staff see of a deposit. */
export interface StaffDepositDetails
  extends
    StaffDeposit,
    Pick<DepositRow, 'chainRef' | 'status' | 'heldAs' | 'paysIntent' | 'merchantName' | 'fromAddress'> {
  readonly blockNumber: number;
  readonly seenAt: Date;
  readonly bookedAt: Date | null;
  readonly sentence: string;
  readonly offers: readonly DepositOffer[];
  /** What only a shell can do about it. */
  readonly commands: readonly string[];
  /** The newest refund; null when none was ordered. */
  readonly refund: RefundDetails | null;
  /** The oldest first. */
  readonly decisions: readonly RecordedVerdict[];
}

/** Reads one deposit for staff. */
@Injectable()
export class StaffDepositReader {
  constructor(
    private readonly database: Database,
    private readonly refunds: RefundReader,
  ) {}

  /** @throws DomainError not_found */
  async get(environment: Environment, id: string): Promise<StaffDepositDetails> {
    const [row] = await this.database.rows(findStaffDeposit(environment, id));
    if (row === undefined) throw notFound('deposit');
    const isRefunded = (await this.database.em().count(Refund, { depositId: id })) > 0;
    const refund = isRefunded ? await this.refunds.of(id) : null;
    const state: DepositState = { ...row, refund: refund?.view ?? null };
    return {
      ...staffDepositOf(row),
      chainRef: row.chainRef,
      status: row.status,
      heldAs: row.heldAs,
      paysIntent: row.paysIntent,
      merchantName: row.merchantName,
      fromAddress: row.fromAddress,
      blockNumber: Number(row.blockHeight),
      seenAt: new Date(row.seenAt),
      bookedAt: row.bookedAt === null ? null : new Date(row.bookedAt),
      sentence: sentenceFor(state),
      offers: offersFor(state),
      commands: commandsFor(state),
      refund,
      decisions:
        refund?.verdicts ?? (await verdictsOn(this.database, 'deposit_return', { purposeId: id, subjects: [id] })),
    };
  }
}

/** After a reorg of final blocks evidence from outside is needed, so that no button of the console books it. */
function commandsFor({ id, goneAt, bookedAt, reversedAt, restoredAt }: DepositState): string[] {
  const isReversed = reversedAt !== null && restoredAt === null;
  if (goneAt !== null && bookedAt !== null && !isReversed)
    return [`npx coffer deposits reverse ${id} --reason "<why>"`];
  return goneAt === null && isReversed ? [`npx coffer deposits restore ${id} --reason "<why>"`] : [];
}
