import { Injectable } from '@nestjs/common';
import { invalidParam, notFound } from '../domain/errors.js';
import type { Environment } from '../domain/network.js';
import { type Author, by, recordAction } from '../platform/audit-trail.js';
import { Database, type Tx } from '../platform/database/database.js';
import type { RowOf } from '../platform/sql/sql.js';
import { findMerchant, type MerchantFilter, merchantPage } from './merchant-lists.sql.js';
import { MerchantsService, type NewMerchant } from './merchants.service.js';

/** A merchant with the number of its working keys in an environment, and when one was last used. */
export type ListedMerchant = RowOf<typeof findMerchant>;

/** Merchants for operators and staff. Every change is audited. */
@Injectable()
export class MerchantOperations {
  constructor(
    private readonly database: Database,
    private readonly merchants: MerchantsService,
  ) {}

  /** Returns up to `limit + 1` merchants, newest first. @throws DomainError `invalid_request` for an unknown cursor */
  async page(
    environment: Environment,
    filter: MerchantFilter,
    { limit, after = null }: { readonly limit: number; readonly after?: string | null | undefined },
  ): Promise<ListedMerchant[]> {
    if (after !== null && (await this.database.rows(findMerchant(environment, after))).length === 0)
      throw invalidParam('starting_after', 'starting_after is no merchant.');
    return this.database.rows(merchantPage(environment, filter, { after, limit: limit + 1 }));
  }

  /** @throws DomainError `not_found` */
  async get(environment: Environment, id: string): Promise<ListedMerchant> {
    const [merchant] = await this.database.rows(findMerchant(environment, id));
    if (merchant === undefined) throw notFound('merchant');
    return merchant;
  }

  /** Makes a merchant; the caller opens its pockets in the same transaction. @throws DomainError `invalid_request` (name) */
  async create(
    tx: Tx,
    order: { readonly name: string },
    author: Author,
    reason: string | null = null,
  ): Promise<NewMerchant> {
    const created = await this.merchants.createMerchant(tx, order);
    const after = { name: created.name };
    await recordAction(tx, { ...by(author), action: 'merchant.create', subject: created.id, reason, after });
    return created;
  }

  /** Marks a merchant as verified: it may have live keys now. @throws DomainError `not_found` */
  async verify(tx: Tx, id: string, author: Author, reason: string | null = null): Promise<void> {
    await this.merchants.verifyMerchant(tx, id);
    await recordAction(tx, { ...by(author), action: 'merchant.verify', subject: id, reason });
  }
}
