import { Injectable } from '@nestjs/common';
import { DomainError, notFound } from '../domain/errors.js';
import { formatUnits } from '../domain/money.js';
import type { Environment, Network } from '../domain/network.js';
import { type Standing, standingText } from '../domain/outgoing-payment.js';
import { recordAction, type StaffOrder } from '../platform/audit-trail.js';
import { Database, type Tx, sql } from '../platform/database/database.js';
import { UNSIGNED_PAYMENTS } from '../treasury/transactions/payment-tables.sql.js';
import { expectCancellable } from '../treasury/transactions/cancellable.js';
import { isOverdue, standingColumn } from '../treasury/transactions/payment-standing.js';
import { WithdrawalOutcomeHandler } from './payouts/withdrawal-outcome-handler.service.js';
import { NEW_UNTIL, WAITING_SINCE } from './policies/withdrawal-rules.sql.js';

/** A withdrawal that has not ended. */
export interface OpenWithdrawal {
  readonly id: string;
  readonly merchantId: string;
  readonly environment: Environment;
  readonly network: Network;
  readonly token: string;
  /** Whole tokens, decimal. */
  readonly amount: string;
  /** Since the order. */
  readonly ageSeconds: number;
  readonly standing: Standing;
  /** The standing in words, with the time when it ends automatically if that is known. */
  readonly reason: string;
  /** True when an operator should investigate. */
  readonly isOverdue: boolean;
}

/** An unsigned withdrawal, described like a payment on the chain. */
export interface UnsignedWithdrawal {
  readonly id: string;
  /** ISO 8601. */
  readonly orderedAt: string;
  /** Whole tokens with their symbol. */
  readonly amount: string;
  readonly destination: string;
}

/** The funds that unsigned withdrawals and refunds need from a hot wallet, in smallest units of one token. */
export interface WantedFunds {
  readonly chainRef: string;
  readonly contract: string;
  readonly amount: bigint;
}

interface OpenRow {
  id: string;
  merchant_id: string;
  environment: Environment;
  network: Network;
  token: string;
  amount: string;
  token_decimals: number;
  age: number;
  waited: number;
  standing: Standing;
  new_until: string | null;
}

/** Lists withdrawals for staff, and cancels them. */
@Injectable()
export class WithdrawalOperations {
  constructor(
    private readonly database: Database,
    private readonly outcomes: WithdrawalOutcomeHandler,
  ) {}

  /** Returns the withdrawals that have not ended, the oldest first. */
  async open(limit: number): Promise<OpenWithdrawal[]> {
    const rows = await this.database.query<OpenRow>(
      `select id, merchant_id, environment, network, token, amount, token_decimals,
              extract(epoch from clock_timestamp() - created_at)::int as age,
              extract(epoch from clock_timestamp() - ${WAITING_SINCE})::int as waited,
              ${standingColumn('withdrawal')} as standing,
              case when waiting_reason = 'new_destination' then ${NEW_UNTIL} end as new_until
         from withdrawal where status = 'broadcasting' order by created_at, id limit $1`,
      [limit],
    );
    return rows.map((row) => ({
      id: row.id,
      merchantId: row.merchant_id,
      environment: row.environment,
      network: row.network,
      token: row.token,
      amount: formatUnits(BigInt(row.amount), row.token_decimals),
      ageSeconds: Math.max(0, row.age),
      standing: row.standing,
      reason: standingText(row.standing, row.new_until === null ? null : new Date(row.new_until)),
      isOverdue: isOverdue(row.standing, row.waited),
    }));
  }

  /** Returns the unsigned withdrawals of a chain, the oldest first. */
  async unsignedOn(chainRef: string, limit: number): Promise<UnsignedWithdrawal[]> {
    const rows = await this.database.query<{
      id: string;
      created_at: string;
      amount: string;
      token: string;
      token_decimals: number;
      destination: string;
    }>(
      `select id, created_at, amount, token, token_decimals, destination from withdrawal
        where status = 'broadcasting' and signed_at is null and chain_ref = $1 order by created_at, id limit $2`,
      [chainRef, limit],
    );
    return rows.map((row) => ({
      id: row.id,
      orderedAt: new Date(row.created_at).toISOString(),
      amount: `${formatUnits(BigInt(row.amount), row.token_decimals)} ${row.token}`,
      destination: row.destination,
    }));
  }

  /** Returns the funds that unsigned payments need, by chain and token. */
  async wanted(): Promise<WantedFunds[]> {
    const rows = await this.database.query<{ chain_ref: string; token_contract: string; amount: string }>(
      `select chain_ref, token_contract, sum(amount) as amount from ${UNSIGNED_PAYMENTS} payment
        group by chain_ref, token_contract`,
    );
    return rows.map((row) => ({
      chainRef: row.chain_ref,
      contract: row.token_contract,
      amount: BigInt(row.amount),
    }));
  }

  /** Returns the chain that pays a withdrawal. @throws DomainError not_found */
  async chainOf(id: string): Promise<string> {
    const [row] = await this.database.query<{ chain_ref: string }>(`select chain_ref from withdrawal where id = $1`, [
      id,
    ]);
    if (row === undefined) throw notFound('withdrawal');
    return row.chain_ref;
  }

  /**
   * Cancels a withdrawal that was never signed, and returns its funds to the pocket. The vault locks the same row before it
   * signs, so only one of the two succeeds.
   * @param unknown Nonces of unrecorded transactions, read from the chain just now; null when no node answered
   * @throws DomainError not_found, invalid_state_transition
   */
  async cancel(tx: Tx, id: string, staff: StaffOrder, unknown: readonly number[] | null): Promise<void> {
    const [row] = await sql<{ status: string; is_signed: boolean; chain_ref: string }>(
      tx,
      `select status, signed_at is not null as is_signed, chain_ref from withdrawal where id = $1 for no key update`,
      [id],
    );
    if (row === undefined) throw notFound('withdrawal');
    if (row.status !== 'broadcasting') {
      throw new DomainError('invalid_state_transition', `The withdrawal is already ${row.status}.`);
    }
    const { chain_ref: chainRef, is_signed: isSigned } = row;
    const order = { purpose: 'withdrawal', purposeId: id, chainRef, isSigned, word: 'withdrawal' } as const;
    await expectCancellable(tx, order, unknown);
    await this.outcomes.fail(tx, id, 'cancelled', null);
    await recordAction(tx, { ...staff, action: 'withdrawal.cancel', subject: id });
  }
}
