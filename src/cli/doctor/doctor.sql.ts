import { BooksAudit } from '../../auditor/books-audit.entity.js';
import { Event } from '../../events/event.entity.js';
import { ChainToken } from '../../offers/chain-token.entity.js';
import { Chain } from '../../offers/chain.entity.js';
import { DisprovedAddress } from '../../payments/addresses/disproved-address.entity.js';
import { PoolAddress } from '../../payments/addresses/pool-address.entity.js';
import { as } from '../../platform/sql/as.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { BalanceSnapshot } from '../../treasury/wallets/balance-snapshot.entity.js';
import { Delivery } from '../../webhooks/deliveries/delivery.entity.js';
import { WebhookEndpoint } from '../../webhooks/endpoints/webhook-endpoint.entity.js';

const chain = table(Chain);
const token = table(ChainToken);
const pool = table(PoolAddress);
const wrong = table(DisprovedAddress);
const delivery = table(Delivery);
const endpoint = table(WebhookEndpoint);
const event = table(Event);
const audit = table(BooksAudit);
const stock = table(BalanceSnapshot);

/** Reads the version of the server. */
export const serverVersion = sql`select current_setting('server_version') ${as.text('version')}`;

/** Whether the migrator has its table. */
export const hasMigrations = sql`select to_regclass('schema_migration') is not null ${as.boolean('isKnown')}`;

/** Reads the role of the session. */
export const sessionRole = sql`select current_user ${as.text('role')}`;

/** Reads the disabled tokens of active chains, except those that are disabled for this reason. */
export const disabledTokens = (except: string) => sql`
  select ${chain.environment} || '/' || ${chain.network} || '/' || ${token.symbol} ${as.text('name')},
         ${token.disabledReason.asNotNull('reason')}
    from ${token} join ${chain} on ${chain.id} = ${token.chainRef}
   where ${chain.active} and not ${token.enabled} and ${token.disabledReason} <> ${except} order by 1`;

/** Counts the free addresses of each pool. */
export const poolLevels = sql`
  select ${out(pool, 'environment', 'family')},
         count(*) filter (where ${pool.intentId} is null and ${pool.retiredAt} is null) ${as.digits('free')}
    from ${pool} group by ${pool.environment}, ${pool.family} order by ${pool.environment}, ${pool.family}`;

/** Reads the first addresses of the pool that differ from those that the vault derives. */
export const wrongAddresses = (limit: number) => sql`
  select ${pool.environment} || ' ' || ${wrong.derivationPath} ${as.text('place')},
         ${out(wrong, 'address', 'derivedAddress')}, ${out(pool, 'intentId')}
    from ${wrong} join ${pool} on ${pool.id} = ${wrong.addressId}
   order by ${wrong.addressId} limit ${limit}`;

/** Counts the deliveries to enabled endpoints that are due for so many seconds. */
export const countOverdue = (seconds: number) => sql`
  select count(*) ${as.digits('overdue')} from ${delivery} join ${endpoint} on ${endpoint.id} = ${delivery.endpointId}
   where ${delivery.status} = 'pending' and ${endpoint.enabled}
     and ${delivery.dueAt} < now() - ${seconds}::int * interval '1 second'`;

/**
 * Finds the endpoint with the most dead letters, with the number of all. Those of deleted endpoints do not count: they
 * cannot be sent again.
 */
export const mostDeadLetters = sql`
  select sum(count(*)) over () ${as.digits('total')}, ${out(delivery, 'endpointId')},
         min(${event.createdAt}) ${as.time('since')}
    from ${delivery}
    join ${endpoint} on ${endpoint.id} = ${delivery.endpointId} and ${endpoint.deletedAt} is null
    join ${event} on ${event.id} = ${delivery.eventId}
   where ${delivery.status} = 'dead_letter' and not ${delivery.superseded}
   group by ${delivery.endpointId} order by count(*) desc, ${delivery.endpointId} limit 1`;

/** Reads the last audit of each scope, with the number of rows that break a rule. */
export const lastAudits = sql`
  select distinct on (${audit.scope}) ${out(audit, 'findingRow', 'findingSays')},
         (select coalesce(sum((rule ->> 'count')::int), 0)::int from jsonb_array_elements(${audit.findings}) rule) ${as.int('count')},
         floor(extract(epoch from now() - ${audit.finishedAt}) / 3600) ${as.digits('hoursAgo')}
    from ${audit} order by ${audit.scope}, ${audit.id} desc`;

/** Finds the first hot wallet of an active chain that held less than the books say at its last comparison. */
export const findShortWallet = sql`
  select ${chain.environment} || '/' || ${chain.network} ${as.text('place')}, ${out(token, 'symbol', 'decimals')},
         ${out(stock, 'missing')}, ${stock.bookedHeight.as('height')}
    from ${stock}
    join ${chain} on ${chain.id} = ${stock.chainRef} and ${chain.active}
    join ${token} on ${token.chainRef} = ${stock.chainRef} and ${token.contract} = ${stock.tokenContract}
   where ${stock.missing} > 0 order by 1, ${token.symbol} limit 1`;
