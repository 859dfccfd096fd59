import { Merchant } from '../../auth/merchant.entity.js';
import type { Tenant } from '../../domain/tenant.js';
import { as } from '../../platform/sql/as.js';
import { given, unnest } from '../../platform/sql/given.js';
import { raw, type RowOf, sql, type SqlText } from '../../platform/sql/sql.js';
import { out, set, table } from '../../platform/sql/table.js';
import { Delivery } from '../deliveries/delivery.entity.js';
import { WebhookEndpoint } from './webhook-endpoint.entity.js';
import type { WebhookScope } from './webhook-scope.js';

const delivery = table(Delivery);
const endpoint = table(WebhookEndpoint);
const counted = given('counted', { endpointId: 'text' });

/** Locks a merchant. */
export const lockMerchant = (id: string) => {
  const merchant = table(Merchant);
  return sql`select from ${merchant} where ${merchant.id} = ${id} for no key update`;
};

/**
 * Locks an endpoint of a tenant. The checks of new deliveries and targets wait for none of these locks: they only need its
 * key to stay.
 */
export const lockOwned = (id: string, { merchantId, environment }: Tenant, strength: 'share' | 'no key update') => sql`
  select from ${endpoint}
   where ${endpoint.id} = ${id} and ${endpoint.merchantId} = ${merchantId} and ${endpoint.environment} = ${environment}
     and ${endpoint.deletedAt} is null
     for ${raw(strength)}`;

/** Reads the transaction's time by the database's clock, which also stamps events. */
export const transactionTime = sql`select now() ${as.time('now')}`;

/** Counts, by endpoint, the dead letters that no later series has superseded, up to a maximum. */
export const countDeadLettersOf = (endpointIds: readonly string[], max: number) => sql`
  select ${counted.endpointId.as('endpointId')}, count(*) ${as.digits('count')}
    from ${unnest(
      counted,
      endpointIds.map((endpointId) => ({ endpointId })),
    )}
   cross join lateral (
     select from ${delivery}
      where ${delivery.endpointId} = ${counted.endpointId} and ${delivery.status} = 'dead_letter'
        and not ${delivery.superseded} limit ${max}) dead
   group by ${counted.endpointId}`;

/** Reads the sealed secrets of the next endpoints by id, also of deleted ones. */
export const secretsAfter = (id: string, limit: number) => sql`
  select ${out(endpoint, 'id', 'secret', 'previousSecret')} from ${endpoint}
   where ${endpoint.id} > ${id} order by ${endpoint.id} limit ${limit}`;

/** The sealed secrets of an endpoint. */
type Secrets = Pick<WebhookEndpoint, 'secret' | 'previousSecret'>;

/** Replaces the sealed secrets of an endpoint if they are still those that were read, and returns it. */
export const replaceSecrets = (id: string, before: Omit<RowOf<typeof secretsAfter>, 'id'>, secrets: Secrets) => sql`
  update ${endpoint} set ${set(endpoint, secrets)}
   where ${endpoint.id} = ${id} and ${endpoint.secret} = ${before.secret}
     and ${endpoint.previousSecret} is not distinct from ${before.previousSecret}
  returning ${out(endpoint, 'id')}`;

/** Returns the conditions that limit rows of a merchant to a scope. */
export function within(
  owned: { readonly merchantId: SqlText; readonly environment: SqlText },
  { merchantId, environment }: WebhookScope,
): SqlText[] {
  return [
    ...(merchantId === undefined ? [] : [sql`${owned.merchantId} = ${merchantId}`]),
    ...(environment === undefined ? [] : [sql`${owned.environment} = ${environment}`]),
  ];
}
