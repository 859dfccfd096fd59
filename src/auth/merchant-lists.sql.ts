import type { Environment } from '../domain/network.js';
import { as } from '../platform/sql/as.js';
import { define, subselect } from '../platform/sql/relation.js';
import { join, sql, type SqlText } from '../platform/sql/sql.js';
import { out, table } from '../platform/sql/table.js';
import { ApiKey } from './api-key.entity.js';
import { isWorking } from './api-keys.sql.js';
import { Merchant } from './merchant.entity.js';

const merchant = table(Merchant);
const key = table(ApiKey);

/** Which merchants staff see. */
export interface MerchantFilter {
  /** The whole name, in any letter case. */
  readonly name?: string | undefined;
  readonly verified?: boolean | undefined;
}

const keysOfMerchant = (environment: Environment) => sql`
  select count(*) filter (where ${isWorking})::int ${as.int('workingKeys')}, max(${key.lastUsedAt}) ${as.timeOrNull('lastUsedAt')}
    from ${key} where ${key.merchantId} = ${merchant.id} and ${key.environment} = ${environment}`;
const keys = subselect('keys', keysOfMerchant);

const merchantsWhere = (environment: Environment, condition: SqlText) => sql`
  select ${out(merchant, 'id', 'name', 'liveVerifiedAt', 'underpaymentToleranceBps', 'createdAt')},
         ${keys.workingKeys.as('workingKeys')}, ${keys.lastUsedAt.as('lastUsedAt')}
    from ${merchant} cross join lateral ${define(keys, environment)} where ${condition}`;

/** Reads one merchant with its working keys in an environment. */
export const findMerchant = (environment: Environment, id: string) =>
  merchantsWhere(environment, sql`${merchant.id} = ${id}`);

/** Reads a page of all merchants, newest first. */
export function merchantPage(
  environment: Environment,
  { name, verified }: MerchantFilter,
  { after, limit }: { readonly after: string | null; readonly limit: number },
) {
  const where = [
    ...(name === undefined ? [] : [sql`lower(${merchant.name}) = lower(${name})`]),
    ...(verified === undefined
      ? []
      : [verified ? sql`${merchant.liveVerifiedAt} is not null` : sql`${merchant.liveVerifiedAt} is null`]),
    ...(after === null ? [] : [sql`${merchant.id} < ${after}`]),
  ];
  const condition = where.length === 0 ? sql`true` : join(where, ' and ');
  return merchantsWhere(environment, sql`${condition} order by ${merchant.id} desc limit ${limit}`);
}

/** Reads a page of the keys of a merchant in an environment, newest first, also of those that no longer work. */
export const keyPage = (
  { merchantId, environment }: { readonly merchantId: string; readonly environment: Environment },
  { after, limit }: { readonly after: string | null; readonly limit: number },
) => sql`
  select ${out(key, 'id', 'name', 'last4', 'scopes', 'createdAt', 'lastUsedAt', 'expiresAt', 'revokedAt')},
         ${isWorking} ${as.boolean('isWorking')}
    from ${key}
   where ${key.merchantId} = ${merchantId} and ${key.environment} = ${environment}
     and (${after}::text is null or ${key.id} < ${after}) order by ${key.id} desc limit ${limit}`;
