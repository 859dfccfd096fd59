import { Injectable } from '@nestjs/common';
import { invalidParam, notFound } from '../domain/errors.js';
import type { Environment } from '../domain/network.js';
import type { ListPage } from '../http/pagination.js';
import { Database } from '../platform/database/database.js';
import type { RowOf } from '../platform/sql/sql.js';
import type { pocketsOf } from './pocket-page.sql.js';
import { PocketReader } from './pocket-reader.service.js';
import type { ListPocketsQuery, PocketEntryObject } from './pocket.schema.js';
import type { ListStaffPocketsQuery } from './staff-pocket.schema.js';
import { findMerchantNames, findStaffPocket, staffPocketPage } from './staff-pockets.sql.js';

/** A pocket as staff see it: its balances in smallest units, and the name of its merchant. */
export interface StaffPocket extends RowOf<typeof pocketsOf> {
  readonly merchantName: string;
}

/** Reads the pockets of all merchants of an environment: for staff. */
@Injectable()
export class StaffPockets {
  constructor(
    private readonly database: Database,
    private readonly reader: PocketReader,
  ) {}

  /** Returns one pocket. @throws DomainError not_found */
  async get(environment: Environment, id: string): Promise<StaffPocket> {
    const [pocket] = await this.named(await this.database.rows(findStaffPocket(environment, id)));
    if (pocket === undefined) throw notFound('pocket');
    return pocket;
  }

  /** Returns up to `limit + 1` pockets, newest first. @throws DomainError when `starting_after` is no pocket */
  async list(
    environment: Environment,
    { limit, starting_after: after, ...filter }: ListStaffPocketsQuery,
  ): Promise<readonly StaffPocket[]> {
    if (after !== undefined && (await this.database.rows(findStaffPocket(environment, after))).length === 0) {
      throw invalidParam('starting_after', 'starting_after is no pocket.');
    }
    const page = { after: after ?? null, limit: limit + 1 };
    return this.named(await this.database.rows(staffPocketPage(environment, filter, page)));
  }

  /** Returns one page of the entries on a pocket's available balance, newest first. */
  async entries(environment: Environment, id: string, query: ListPocketsQuery): Promise<ListPage<PocketEntryObject>> {
    const { merchantId } = await this.get(environment, id);
    return this.reader.entries({ merchantId, environment }, id, query);
  }

  private async named(pockets: readonly RowOf<typeof pocketsOf>[]): Promise<StaffPocket[]> {
    const ids = [...new Set(pockets.map(({ merchantId }) => merchantId))];
    const names = new Map((await this.database.rows(findMerchantNames(ids))).map(({ id, name }) => [id, name]));
    return pockets.map((pocket) => ({ ...pocket, merchantName: names.get(pocket.merchantId) ?? '' }));
  }
}
