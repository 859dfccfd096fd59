import { AuditSeal } from '../audit-log/audit-seal.entity.js';
import { BooksAudit } from '../auditor/books-audit.entity.js';
import { HourlyStat } from '../charts/hourly-stat.entity.js';
import { ADDRESS_FAMILIES, ENVIRONMENTS } from '../domain/network.js';
import { LedgerSeal } from '../ledger/ledger-seal.entity.js';
import { ChainCursor } from '../offers/chain-cursor.entity.js';
import { Chain } from '../offers/chain.entity.js';
import { RpcNode } from '../offers/rpc-node.entity.js';
import { PoolAddress } from '../payments/addresses/pool-address.entity.js';
import { Deposit } from '../payments/deposits/deposit.entity.js';
import { AuditEntry } from '../platform/audit-entry.entity.js';
import { Lease } from '../platform/lease.entity.js';
import { cte, define, lines, subselect } from '../platform/sql/relation.js';
import { raw, sql, type SqlText } from '../platform/sql/sql.js';
import { out, table } from '../platform/sql/table.js';
import { PriceSnapshot } from '../pricing/price-snapshot.entity.js';
import { SanctionsImport } from '../sanctions/sanctions-import.entity.js';
import type { LiveTopic } from './live-topic.js';
import { each, markOf, NEWEST, SMALL_SET, topicOf } from './mark.sql.js';

const chain = table(Chain);
const cursor = table(ChainCursor);
const node = table(RpcNode);
const lease = table(Lease);
const address = table(PoolAddress);
const price = table(PriceSnapshot);
const audit = table(BooksAudit);
const entrySeal = table(LedgerSeal);
const actionSeal = table(AuditSeal);
const imported = table(SanctionsImport);
const deposit = table(Deposit);
const stat = table(HourlyStat);
const action = table(AuditEntry);

const newestIn = (column: SqlText, rows: SqlText): SqlText =>
  sql`(select ${column} from ${rows} order by ${column} desc limit 1)`;

/** Whether each chain is read: a lease that runs out changes the mark too. How far it is changes all the time; pages poll that. */
const listeners = sql`
  select ${topicOf('networks')}, ${chain.environment.as('environment')},
         ${markOf(
           chain.id,
           cursor.pausedAt,
           cursor.haltedReason,
           cursor.finalityDoubt,
           cursor.reorgAt,
           sql`coalesce((select ${lease.expiresAt} > now() from ${lease} where ${lease.name} = 'listener:' || ${chain.id}), false)`,
         )}
    from ${chain} join ${cursor} on ${cursor.chainRef} = ${chain.id} where ${chain.active} group by ${chain.environment}`;
const nodes = sql`
  select ${topicOf('networks')}, ${chain.environment.as('environment')},
         ${markOf(node.chainRef, node.node, node.isUp, node.isForeign, node.recentFailures, node.lastError)}
    from ${chain} join ${node} on ${node.chainRef} = ${chain.id} where ${chain.active} group by ${chain.environment}`;

const pool = lines(
  'pool',
  ENVIRONMENTS.flatMap((environment) => ADDRESS_FAMILIES.map((family) => ({ environment, family }))),
);
const ofPool = sql`${address.environment} = ${pool['environment']} and ${address.family} = ${pool['family']}`;
const nextFree = subselect(
  'next_free',
  sql`select ${out(address, 'environment', 'id')} from ${address}
       where ${ofPool} and ${address.intentId} is null and ${address.retiredAt} is null
       order by ${address.createdAt} limit 1`,
);
const assigned = sql`
  select ${topicOf('wallet_pool')}, ${nextFree.environment.as('environment')}, ${markOf(nextFree.id)}
    from ${define(pool)} cross join lateral ${define(nextFree)} group by ${nextFree.environment}`;
const newestAddress = subselect(
  'newest_address',
  sql`select ${out(address, 'environment', 'id')} from ${address} where ${ofPool} order by ${address.id} desc limit 1`,
);
const derived = sql`
  select ${topicOf('wallet_pool')}, ${newestAddress.environment.as('environment')}, ${markOf(newestAddress.id)}
    from ${define(pool)} cross join lateral ${define(newestAddress)} group by ${newestAddress.environment}`;

const newestPrice = subselect(
  'newest_price',
  sql`select ${out(price, 'environment', 'id')} from ${price} where ${price.environment} = ${each['environment']}
       order by ${price.createdAt} desc limit 1`,
);
const prices = sql`
  select ${topicOf('prices')}, ${newestPrice.environment.as('environment')}, ${markOf(newestPrice.id)}
    from ${define(each)} cross join lateral ${define(newestPrice)} group by ${newestPrice.environment}`;

const newestHour = subselect(
  'newest_hour',
  sql`select ${out(stat, 'environment', 'hour')} from ${stat} where ${stat.environment} = ${each['environment']}
       order by ${stat.hour} desc limit 1`,
);
const charts = sql`
  select ${topicOf('charts')}, ${newestHour.environment.as('environment')}, ${markOf(newestHour.hour)}
    from ${define(each)} cross join lateral ${define(newestHour)} group by ${newestHour.environment}`;

/** What all environments share. */
const shared = (topic: LiveTopic, mark: SqlText) => sql`
  select ${topicOf(topic)}, ${each['environment']}, (${mark})::text from ${define(each)}`;
const books = shared(
  'books',
  sql`concat_ws(' ', ${newestIn(audit.id, audit)}, ${newestIn(entrySeal.sequence, entrySeal)},
        ${newestIn(actionSeal.sequence, actionSeal)})`,
);
const lists = shared('sanctions', sql`coalesce(${newestIn(imported.id, imported)}, 0)`);

const heldDeposits = subselect(
  'held_deposits',
  sql`select ${out(deposit, 'id', 'heldAs')}, ${out(chain, 'environment')}
        from ${deposit} join ${chain} on ${chain.id} = ${deposit.chainRef}
       where ${deposit.heldAs} is not null order by ${deposit.id} desc limit ${SMALL_SET}`,
);
const stopped = sql`
  select ${topicOf('sanctions')}, ${heldDeposits.environment.as('environment')},
         ${markOf(heldDeposits.id, heldDeposits.heldAs)}
    from ${define(heldDeposits)} group by ${heldDeposits.environment}`;

/** The newest actions of operators and staff; every change of a merchant, a key, a policy or a member is one of them. */
export const newActions = cte(
  'new_actions',
  sql`select ${out(action, 'id', 'action', 'environment')} from ${action} order by ${action.id} desc limit ${NEWEST}`,
);
const ofEach = sql`${newActions.environment} is null or ${newActions.environment} = ${each['environment']}`;
const actions = sql`
  select ${topicOf('audit')}, ${each['environment']}, ${markOf(newActions.id)}
    from ${define(each)} join ${newActions} on ${ofEach} group by ${each['environment']}`;
const actionsOn = (topic: LiveTopic, pattern: string) => sql`
  select ${topicOf(topic)}, ${each['environment']}, ${markOf(newActions.id)}
    from ${define(each)} join ${newActions} on ${newActions.action} ~ ${raw(`'${pattern}'`)}
   group by ${each['environment']}`;
/** Merchants and members belong to no environment, whatever the one of the request that changed them. */
const merchants = actionsOn('merchants', '^(merchant|api_key|policy|signing)\\.');
const signing = actionsOn('withdrawals', '^signing\\.');
const team = actionsOn('team', '^(staff|session)\\.');

/** The marks of what pages about the service, its merchants and its staff show. They need `newActions` before them. */
export const serviceMarks = [
  listeners,
  nodes,
  assigned,
  derived,
  prices,
  charts,
  books,
  lists,
  stopped,
  actions,
  merchants,
  signing,
  team,
];
