import { Merchant } from '../../auth/merchant.entity.js';
import { INTENT_STATUSES, type IntentStatus } from '../../domain/intent-state.js';
import { type Environment, type Network, NETWORKS } from '../../domain/network.js';
import { as } from '../../platform/sql/as.js';
import { given, unnest } from '../../platform/sql/given.js';
import { newestFirst, type TimeCursor, withinTime } from '../../platform/sql/newest-first.js';
import { all, define, subselect } from '../../platform/sql/relation.js';
import { join, literal, sql, type SqlText } from '../../platform/sql/sql.js';
import { every, out, table } from '../../platform/sql/table.js';
import { isAcknowledged } from './acknowledgements.sql.js';
import { PaymentIntent } from './payment-intent.entity.js';
import { isUnusual } from './unusual-intent.sql.js';
import type { StaffIntentFilter, UnusualFilter } from './staff-intent.schema.js';

const intent = table(PaymentIntent);
const merchant = table(Merchant);
const ofNetwork = given('of_network', { network: 'text' });
const ofStatus = given('of_status', { status: 'text' });

/** One walk along an index: the intents of one merchant, by their network and status where the index begins with these. */
interface Walks {
  readonly networks: readonly Network[] | null;
  readonly statuses: readonly IntentStatus[] | null;
}

/** A page to read: the place before it, and the most rows. */
export interface StaffIntentPage {
  readonly cursor: TimeCursor | null;
  readonly rows: number;
}

const UNUSUAL = {
  any: isUnusual,
  under: sql`${isUnusual} and (${intent.failureCode} = 'underpaid' or ${intent.acceptedShortfallCents} > 0)`,
  over: sql`${isUnusual} and ${intent.overpaidAmountCents} > 0`,
} as const satisfies Record<UnusualFilter, SqlText>;

/** Finds the place of an intent in the list of its environment. */
export const findStaffPlace = (environment: Environment, id: string) => sql`
  select ${out(intent, 'createdAt', 'id')} from ${intent} where ${intent.environment} = ${environment} and ${intent.id} = ${id}`;

/** Finds an intent of an environment with the name of its merchant. */
export const findStaffIntent = (environment: Environment, id: string) => sql`
  select ${every(intent)}, ${merchant.name.as('merchantName')}
    from ${intent} join ${merchant} on ${merchant.id} = ${intent.merchantId}
   where ${intent.environment} = ${environment} and ${intent.id} = ${id}`;

/**
 * Reads one page of the intents of an environment, newest first. No index orders the intents of all merchants, since every
 * new intent would have to be written to it: each merchant's are walked along its own. First only the newest of each walk is
 * read; those walks with the newest ones are read on, and no other walk can have a row of the page.
 */
export function staffIntentPage(
  environment: Environment,
  filter: StaffIntentFilter,
  { cursor, rows }: StaffIntentPage,
) {
  const walks = walksOf(filter);
  const limit = literal(rows);
  const conditions = [
    sql`${intent.environment} = ${environment}`,
    ...filtersOf(filter),
    ...withinTime(intent, filter, cursor),
  ];
  const first = subselect(
    'first',
    sql`select ${out(intent, 'createdAt', 'id')} from ${intent}
         where ${join([...isOf(walks, merchant.id, ofNetwork.network, ofStatus.status), ...conditions], ' and ')}
         ${newestFirst(intent)} limit 1`,
  );
  const walk = subselect(
    'walk',
    sql`select ${merchant.id.as('merchantId')}, ${merchant.name.as('merchantName')},
               ${walks.networks === null ? sql`null::text` : ofNetwork.network} ${as.textOrNull('network')},
               ${walks.statuses === null ? sql`null::text` : ofStatus.status} ${as.textOrNull('status')}
          from ${merchant} ${crossing(walks)} cross join lateral ${define(first)}
         ${filter.merchant_id === undefined ? sql`` : sql`where ${merchant.id} = ${filter.merchant_id}`}
         ${newestFirst(first)} limit ${limit}`,
  );
  const listed = subselect(
    'listed',
    sql`select ${every(intent)} from ${intent}
         where ${join([...isOf(walks, walk.merchantId, walk.network, walk.status), ...conditions], ' and ')}
         ${newestFirst(intent)} limit ${limit}`,
  );
  return sql`
    select ${all(listed)}, ${walk.merchantName.as('merchantName')}
      from ${define(walk)} cross join lateral ${define(listed)}
     ${newestFirst(listed)} limit ${limit}`;
}

/** The indexes of references, and of tokens, have the network and the status before the time. */
function walksOf({ reference, token, network, status }: StaffIntentFilter): Walks {
  const isByBoth = reference !== undefined || token !== undefined;
  return {
    networks: network === undefined ? (isByBoth ? NETWORKS : null) : [network],
    statuses: status === undefined ? (isByBoth ? INTENT_STATUSES : null) : [status],
  };
}

function crossing({ networks, statuses }: Walks): SqlText {
  const parts: SqlText[] = [];
  if (networks !== null)
    parts.push(
      sql`cross join ${unnest(
        ofNetwork,
        networks.map((network) => ({ network })),
      )}`,
    );
  if (statuses !== null)
    parts.push(
      sql`cross join ${unnest(
        ofStatus,
        statuses.map((status) => ({ status })),
      )}`,
    );
  return join(parts, ' ');
}

function isOf(walks: Walks, merchantId: SqlText, network: SqlText, status: SqlText): SqlText[] {
  return [
    sql`${intent.merchantId} = ${merchantId}`,
    ...(walks.networks === null ? [] : [sql`${intent.network} = ${network}`]),
    ...(walks.statuses === null ? [] : [sql`${intent.status} = ${status}`]),
  ];
}

function filtersOf({ reference, token, unusual, acknowledged }: StaffIntentFilter): SqlText[] {
  return [
    ...(reference === undefined ? [] : [sql`${intent.reference} = ${reference}`]),
    ...(token === undefined ? [] : [sql`${intent.token} = ${token}`]),
    ...(unusual === undefined ? [] : [UNUSUAL[unusual]]),
    ...(acknowledged === undefined ? [] : [sql`${isAcknowledged(intent.id)} = ${acknowledged}`]),
  ];
}
