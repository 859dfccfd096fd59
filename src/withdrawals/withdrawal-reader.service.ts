import { Injectable } from '@nestjs/common';
import { invalidParam, notFound } from '../domain/errors.js';
import type { Tenant } from '../domain/tenant.js';
import { type ListPage, listPage } from '../http/pagination.js';
import { Pocket } from '../ledger/pocket.entity.js';
import { Database, rows } from '../platform/database/database.js';
import { entityOf } from '../platform/database/entity-of.js';
import type { TimeCursor } from '../platform/sql/newest-first.js';
import { withdrawalPage } from './withdrawal-page.sql.js';
import { Withdrawal } from './withdrawal.entity.js';
import { presentWithdrawal } from './withdrawal.presenter.js';
import { findWithdrawal } from './withdrawals.sql.js';
import type { ListWithdrawalsQuery, WithdrawalObject } from './withdrawal.schema.js';

/** Reads withdrawals as the API shows them. */
@Injectable()
export class WithdrawalReader {
  constructor(private readonly database: Database) {}

  /** One withdrawal of the caller. */
  async get(tenant: Tenant, id: string): Promise<WithdrawalObject> {
    const em = this.database.em();
    const [row] = await rows(em, findWithdrawal(id, tenant));
    if (row === undefined) throw notFound('withdrawal');
    return presentWithdrawal(entityOf(em, Withdrawal, row));
  }

  /** One page of the caller's withdrawals, newest first, by keyset. */
  async list(tenant: Tenant, query: ListWithdrawalsQuery): Promise<ListPage<WithdrawalObject>> {
    const em = this.database.em();
    if (query.pocket_id !== undefined) await this.assertOwnPocket(tenant, query.pocket_id);
    const cursor = query.starting_after === undefined ? null : await this.cursor(tenant, query.starting_after);
    const page = await rows(em, withdrawalPage(tenant, query, cursor));
    return listPage(
      page.map((row) => presentWithdrawal(entityOf(em, Withdrawal, row))),
      query.limit,
    );
  }

  private async assertOwnPocket({ merchantId, environment }: Tenant, id: string): Promise<void> {
    if ((await this.database.em().count(Pocket, { id, merchantId, environment })) === 0)
      throw invalidParam('pocket_id', 'pocket_id is not one of your pockets.');
  }

  private async cursor(tenant: Tenant, id: string): Promise<TimeCursor> {
    const [row] = await this.database.rows(findWithdrawal(id, tenant));
    if (row === undefined) throw invalidParam('starting_after', 'starting_after is not one of your withdrawals.');
    return row;
  }
}
