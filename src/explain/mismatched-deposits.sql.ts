import type { Environment, Network } from '../domain/network.js';
import { ChainToken } from '../offers/chain-token.entity.js';
import { Chain } from '../offers/chain.entity.js';
import { isAcknowledged } from '../payments/intents/acknowledgements.sql.js';
import { PoolAddress } from '../payments/addresses/pool-address.entity.js';
import { Deposit, type UnattributedReason } from '../payments/deposits/deposit.entity.js';
import { PaymentIntent } from '../payments/intents/payment-intent.entity.js';
import { as } from '../platform/sql/as.js';
import { define, subselect } from '../platform/sql/relation.js';
import { sql } from '../platform/sql/sql.js';
import { out, table } from '../platform/sql/table.js';

const chain = table(Chain);
const deposit = table(Deposit);
const address = table(PoolAddress, 'address');
const intent = table(PaymentIntent, 'intent');
const token = table(ChainToken, 'token');

/** Which deposits to list; null = all. */
export interface MismatchedDepositsFilter {
  readonly environment: Environment | null;
  readonly network: Network | null;
  /** Late ones that staff acknowledged, or that they did not; all deposits without it. */
  readonly lateAcknowledged?: boolean | undefined;
}

/** The place in the list before a page; null = the beginning. */
interface PlaceBefore {
  readonly seenAt: string | null;
  readonly id: string | null;
}

/** The condition of the index deposit_odd. */
const isMismatched = sql`${deposit.status} <> 'orphaned' and (${deposit.unattributedReason} is not null or ${deposit.late})`;

const isAskedFor = ({ environment, network }: MismatchedDepositsFilter) => sql`
  (${environment}::text is null or ${chain.environment} = ${environment}) and (${network}::text is null or ${chain.network} = ${network})`;

const newestOfChain = (
  { lateAcknowledged }: MismatchedDepositsFilter,
  { seenAt, id }: PlaceBefore,
  limit: number,
) => sql`
  select ${out(deposit, 'id', 'seenAt')} from ${deposit}
   where ${deposit.chainRef} = ${chain.id} and ${isMismatched}
     ${lateAcknowledged === undefined ? sql`` : sql`and ${deposit.late} and ${isAcknowledged(deposit.id)} = ${lateAcknowledged}`}
     and (${deposit.seenAt}, ${deposit.id}) < (coalesce(${seenAt}::timestamptz, 'infinity'), coalesce(${id}::text, ''))
   order by ${deposit.seenAt} desc, ${deposit.id} desc limit ${limit}`;
const newest = subselect('newest', newestOfChain);

/** Chain by chain from the index, so that a page costs the same at any depth and with any filter. */
const newestOfAll = (filter: MismatchedDepositsFilter, before: PlaceBefore, limit: number) => sql`
  select ${newest.id.as('id')}, ${newest.seenAt.as('seenAt')}, ${out(chain, 'environment', 'network')}
    from ${chain} cross join lateral ${define(newest, filter, before, limit)}
   where ${isAskedFor(filter)}
   order by ${newest.seenAt} desc, ${newest.id} desc limit ${limit}`;
const page = subselect('page', newestOfAll);

/** Reads a page of the deposits that did not pay an intent as intended, the newest first. */
export const mismatchedPage = (filter: MismatchedDepositsFilter, before: PlaceBefore, limit: number) => sql`
  select ${out(deposit, 'id', 'seenAt', 'tokenContract', 'amount', 'txHash', 'blockHeight', 'status', 'unattributedReason')},
         ${out(deposit, 'heldAs')}, ${deposit.listedSenderId} is not null ${as.boolean('isListed')},
         ${deposit.bookedAt} is not null ${as.boolean('isBooked')},
         ${deposit.reversedAt} is not null and ${deposit.restoredAt} is null ${as.boolean('isReversed')},
         ${page.environment.as('environment')}, ${page.network.as('network')},
         ${token.symbol.asOrNull('symbol')}, ${token.decimals.asOrNull('decimals')}, ${out(address, 'address')},
         ${intent.id.asOrNull('intentId')}, ${intent.merchantId.asOrNull('merchantId')},
         ${intent.status.asOrNull('intentStatus')}, ${intent.network.asOrNull('intentNetwork')},
         ${intent.token.asOrNull('intentToken')}
    from ${define(page, filter, before, limit)}
    join ${deposit} on ${deposit.id} = ${page.id}
    join ${address} on ${address.id} = ${deposit.addressId}
    left join ${intent} on ${intent.id} = ${address.intentId}
    left join ${token} on ${token.chainRef} = ${deposit.chainRef} and ${token.contract} = ${deposit.tokenContract}
   order by ${page.seenAt} desc, ${page.id} desc`;

/** Counts the deposits that did not pay an intent as intended, by reason. */
export const countMismatched = (filter: MismatchedDepositsFilter) => sql`
  select coalesce(${deposit.unattributedReason}, 'after_the_end') ${as.textOf<UnattributedReason | 'after_the_end'>()('reason')},
         count(*) ${as.digits('count')}
    from ${chain} join ${deposit} on ${deposit.chainRef} = ${chain.id}
   where ${isAskedFor(filter)} and ${isMismatched} group by 1`;
