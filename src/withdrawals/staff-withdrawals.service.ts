import { Injectable } from '@nestjs/common';
import { invalidParam, notFound } from '../domain/errors.js';
import type { Environment } from '../domain/network.js';
import type { Standing } from '../domain/outgoing-payment.js';
import type { StaffStep } from '../domain/withdrawal.js';
import { Database, row, rows } from '../platform/database/database.js';
import { entityOf } from '../platform/database/entity-of.js';
import type { TimeCursor } from '../platform/sql/newest-first.js';
import { HotWallet } from '../treasury/wallets/hot-wallet.entity.js';
import { subjectOf } from './payouts/signing-freeze.service.js';
import type { Freeze } from './payouts/signing-places.service.js';
import { freezesOf } from './payouts/signing-places.sql.js';
import { WithdrawalApproval } from './policies/withdrawal-approval.entity.js';
import { WithdrawalPolicy } from './policies/withdrawal-policy.entity.js';
import { countToApprove } from './staff-steps.sql.js';
import { findMerchantName, findStaffPlace, pageToApprove, staffWithdrawalPage } from './staff-withdrawal-page.sql.js';
import type { ListStaffWithdrawalsQuery, StaffWithdrawalFilter } from './staff-withdrawal.schema.js';
import { type WithdrawalDetails, WithdrawalDetailsReader } from './withdrawal-details.service.js';
import { Withdrawal } from './withdrawal.entity.js';

const EXPORT_BATCH = 500;

/** A withdrawal in the list of staff. */
export interface StaffWithdrawal {
  readonly withdrawal: Withdrawal;
  readonly merchantName: string;
  /** Null once it has ended. */
  readonly standing: Standing | null;
  /** What staff must do before it is signed; null when nothing. */
  readonly waitsFor: StaffStep | null;
}

/** Everything that staff see of a withdrawal. */
export interface StaffWithdrawalDetails extends WithdrawalDetails {
  readonly merchantName: string;
  readonly approval: Pick<WithdrawalApproval, 'approvedBy' | 'approvedAt'> | null;
  /** Why its network's hot wallet, and all withdrawals of its merchant, are not signed; null where they are. */
  readonly frozen: {
    readonly network: string | null;
    readonly merchant: string | null;
    /** Of both, since they were last unfrozen, the oldest first. */
    readonly freezes: readonly Freeze[];
  };
}

/** Reads the withdrawals of all merchants of an environment: for staff. */
@Injectable()
export class StaffWithdrawals {
  constructor(
    private readonly database: Database,
    private readonly details: WithdrawalDetailsReader,
  ) {}

  /** Returns one withdrawal. @throws DomainError not_found */
  async get(environment: Environment, id: string): Promise<StaffWithdrawalDetails> {
    const details = await this.details.of(id);
    const { withdrawal } = details;
    const { merchantId, chainRef } = withdrawal;
    if (withdrawal.environment !== environment) throw notFound('withdrawal');
    const em = this.database.em();
    const merchant = await row(em, findMerchantName(merchantId));
    const wallet = await em.findOne(HotWallet, { chainRef });
    const policy = await em.findOne(WithdrawalPolicy, { merchantId, environment });
    const [network, ofMerchant] = [wallet?.frozenReason ?? null, policy?.frozenReason ?? null];
    const subjects = [
      ...(network === null ? [] : [chainRef]),
      ...(ofMerchant === null ? [] : [subjectOf({ merchantId, environment })]),
    ];
    return {
      ...details,
      merchantName: merchant.name,
      approval: await em.findOne(WithdrawalApproval, { withdrawalId: id }),
      frozen: { network, merchant: ofMerchant, freezes: await rows(em, freezesOf(subjects)) },
    };
  }

  /** Returns up to `limit + 1` withdrawals, newest first. @throws DomainError when `starting_after` is no withdrawal */
  async list(
    environment: Environment,
    { limit, starting_after: after, ...filter }: ListStaffWithdrawalsQuery,
  ): Promise<readonly StaffWithdrawal[]> {
    const em = this.database.em();
    const cursor = after === undefined ? null : await this.cursor(environment, after);
    const page = filter.waits_for === 'approval' ? pageToApprove : staffWithdrawalPage;
    const found = await rows(em, page(environment, filter, { cursor, rows: limit + 1 }));
    return found.map(({ merchantName, standing, waitsFor, ...columns }) => {
      const withdrawal = entityOf(em, Withdrawal, columns);
      return { withdrawal, merchantName, waitsFor, standing: withdrawal.status === 'broadcasting' ? standing : null };
    });
  }

  /** Returns how many withdrawals need an approval. */
  async countToApprove(environment: Environment): Promise<number> {
    return (await row(this.database.em(), countToApprove(environment))).count;
  }

  /** Reads the withdrawals of a filter in batches, newest first, `max` at most. */
  async *batches(
    environment: Environment,
    filter: StaffWithdrawalFilter,
    max: number,
  ): AsyncGenerator<readonly StaffWithdrawal[]> {
    for (let left = max, after: string | undefined; left > 0;) {
      const limit = Math.min(EXPORT_BATCH, left);
      const page = await this.list(environment, { ...filter, limit, starting_after: after });
      const batch = page.slice(0, limit);
      if (batch.length > 0) yield batch;
      if (page.length <= limit) return;
      left -= batch.length;
      after = batch.at(-1)?.withdrawal.id;
    }
  }

  private async cursor(environment: Environment, id: string): Promise<TimeCursor> {
    const [place] = await this.database.rows(findStaffPlace(environment, id));
    if (place === undefined) throw invalidParam('starting_after', 'starting_after is no withdrawal.');
    return place;
  }
}
