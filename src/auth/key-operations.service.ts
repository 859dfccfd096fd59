import type { FilterQuery } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { DomainError, invalidParam, notFound } from '../domain/errors.js';
import type { Environment } from '../domain/network.js';
import type { Tenant } from '../domain/tenant.js';
import { type Author, by, recordAction } from '../platform/audit-trail.js';
import { Database, type Tx } from '../platform/database/database.js';
import type { RowOf } from '../platform/sql/sql.js';
import { ApiKey } from './api-key.entity.js';
import { type ApiKeyOrder, ApiKeysService, type NewApiKey } from './api-keys.service.js';
import { keyPage } from './merchant-lists.sql.js';
import { Merchant } from './merchant.entity.js';
import { DEFAULT_SCOPES } from './scopes.js';

/** A key as staff see it, without its secret. */
export type KeyOfMerchant = RowOf<typeof keyPage>;

/** API keys for operators and staff. Every change is audited, without the key. */
@Injectable()
export class KeyOperations {
  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeysService,
  ) {}

  /** Returns up to `limit + 1` keys of a merchant in an environment, newest first. @throws DomainError `not_found` */
  async page(
    tenant: Tenant,
    { limit, after = null }: { readonly limit: number; readonly after?: string | null | undefined },
  ): Promise<KeyOfMerchant[]> {
    const em = this.database.em();
    if ((await em.count(Merchant, { id: tenant.merchantId })) === 0) throw notFound('merchant');
    if (after !== null && (await em.count(ApiKey, { id: after, ...tenant })) === 0)
      throw invalidParam('starting_after', 'starting_after is no key of this merchant.');
    return this.database.rows(keyPage(tenant, { after, limit: limit + 1 }));
  }

  /** Creates a key. @throws DomainError as `ApiKeysService.createKey` */
  async create(tx: Tx, order: ApiKeyOrder, author: Author, reason: string | null = null): Promise<NewApiKey> {
    const created = await this.keys.createKey(tx, order);
    const { id, merchantId, environment, scopes } = created;
    const after = {
      merchant_id: merchantId,
      environment,
      scopes: scopes.join(' '),
      name: order.name ?? null,
      expires_at: order.expiresAt?.toISOString() ?? null,
    };
    await recordAction(tx, { ...by(author), action: 'api_key.create', subject: id, reason, after });
    return created;
  }

  /**
   * Creates a key as the console does it: never one that can withdraw real money, so that a stolen session reaches none.
   * @throws DomainError `forbidden` for such a key; others as `create`
   */
  createInConsole(tx: Tx, order: ApiKeyOrder, author: Author, reason: string): Promise<NewApiKey> {
    const { environment, scopes = DEFAULT_SCOPES[environment] } = order;
    if (environment === 'live' && scopes.includes('withdrawals:write')) {
      throw new DomainError(
        'forbidden',
        'The console makes no live key that can withdraw. Run in a shell: npx coffer key create --merchant ' +
          `${order.merchantId} --env live --scopes ${scopes.join(',')}`,
      );
    }
    return this.create(tx, order, author, reason);
  }

  /** Revokes a key at once and for good. @throws DomainError `not_found`, also for a key of another environment */
  async revoke(
    tx: Tx,
    { id, environment }: { readonly id: string; readonly environment?: Environment },
    author: Author,
    reason: string | null = null,
  ): Promise<void> {
    const key = await tx.findOne(ApiKey, {
      id,
      ...(environment !== undefined && ({ environment } satisfies FilterQuery<ApiKey>)),
    });
    if (key === null) throw notFound('API key');
    await this.keys.revokeKey(tx, id);
    const details = { merchant_id: key.merchantId, environment: key.environment };
    await recordAction(tx, { ...by(author), action: 'api_key.revoke', subject: id, reason, details });
  }
}
