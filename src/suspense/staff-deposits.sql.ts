import type { Environment } from '../domain/network.js';
import { Chain } from '../offers/chain.entity.js';
import { ChainToken } from '../offers/chain-token.entity.js';
import { PoolAddress } from '../payments/addresses/pool-address.entity.js';
import { Deposit, type DepositHolding } from '../payments/deposits/deposit.entity.js';
import { isBookedAndReorged } from '../payments/deposits/reorged-deposit.sql.js';
import { UnexplainedBalance } from '../payments/listener/accounts/unexplained-balance.entity.js';
import { PaymentIntent } from '../payments/intents/payment-intent.entity.js';
import { as } from '../platform/sql/as.js';
import { sql } from '../platform/sql/sql.js';
import { out, table } from '../platform/sql/table.js';
import { SanctionedAddress } from '../sanctions/sanctioned-address.entity.js';
import { Refund } from './refunds/refund.entity.js';

const balance = table(UnexplainedBalance);
const deposit = table(Deposit);
const chain = table(Chain);
const token = table(ChainToken, 'token');
const address = table(PoolAddress, 'address');
const intent = table(PaymentIntent, 'intent');
const listed = table(SanctionedAddress, 'listed');
const refund = table(Refund);

/** Which held deposits to list; of all environments without one. */
export interface HeldFilter {
  readonly holdings: readonly DepositHolding[];
  readonly environment: Environment | null;
}

/** Reads a page of the final deposits that are held in one of these ways, the oldest first. */
export const withoutPocketPage = ({ holdings, environment }: HeldFilter, after: string, limit: number) => sql`
  select ${out(deposit, 'id', 'tokenContract', 'amount', 'fromAddress', 'txHash', 'unattributedReason')},
         ${deposit.bookedAt.asNotNull('bookedAt')}, ${deposit.heldAs.asNotNull('heldAs')},
         ${out(chain, 'environment', 'network')}, ${token.symbol.asOrNull('symbol')}, ${token.decimals.asOrNull('decimals')},
         ${out(address, 'address')}, ${intent.id.asOrNull('intentId')}, ${intent.merchantId.asOrNull('merchantId')},
         ${intent.network.asOrNull('intentNetwork')}, ${intent.token.asOrNull('intentToken')},
         ${listed.name.asOrNull('listedName')}, ${refund.id.asOrNull('refundId')},
         ${refund.destination.asOrNull('refundDestination')}
    from ${deposit} join ${chain} on ${chain.id} = ${deposit.chainRef}
    join ${address} on ${address.id} = ${deposit.addressId}
    left join ${intent} on ${intent.id} = ${address.intentId}
    left join ${token} on ${token.chainRef} = ${deposit.chainRef} and ${token.contract} = ${deposit.tokenContract}
    left join ${listed} on ${listed.id} = ${deposit.listedSenderId}
    left join ${refund} on ${refund.depositId} = ${deposit.id} and ${refund.status} = 'broadcasting'
   where ${deposit.heldAs} = any(${holdings}) and ${deposit.id} > ${after}
     and (${environment}::text is null or ${chain.environment} = ${environment})
   order by ${deposit.id} limit ${limit}`;

/** Reads the newest deposits of an environment whose sender was listed when they became final, whatever was decided since. */
export const listedDeposits = (environment: Environment, limit: number) => sql`
  select ${out(deposit, 'id', 'amount', 'fromAddress', 'tokenContract', 'heldAs', 'intentId')}, ${deposit.confirmedAt.asNotNull('confirmedAt')},
         ${out(chain, 'network')}, ${token.symbol.asOrNull('symbol')}, ${token.decimals.asOrNull('decimals')},
         ${listed.name.asOrNull('listedName')}
    from ${deposit} join ${chain} on ${chain.id} = ${deposit.chainRef}
    left join ${token} on ${token.chainRef} = ${deposit.chainRef} and ${token.contract} = ${deposit.tokenContract}
    left join ${listed} on ${listed.id} = ${deposit.listedSenderId}
   where ${deposit.listedSenderId} is not null and ${chain.environment} = ${environment}
   order by ${deposit.confirmedAt} desc, ${deposit.id} desc limit ${limit}`;

/** Counts the deposits of each holding, with the age of the oldest in seconds. */
export const holdingTotals = sql`
  select ${deposit.heldAs.asNotNull('heldAs')}, count(*)::int ${as.int('count')},
         extract(epoch from now() - min(${deposit.bookedAt}))::int ${as.int('oldestSeconds')}
    from ${deposit} where ${deposit.heldAs} is not null group by ${deposit.heldAs} order by ${deposit.heldAs}`;

/** Counts the unattributed final deposits that are unbooked for a minute: a worker books every two seconds. */
export const countUnbooked = sql`
  select count(*)::int ${as.int('count')} from ${deposit}
   where ${deposit.status} = 'confirmed' and ${deposit.intentId} is null and ${deposit.bookedAt} is null
     and ${deposit.goneAt} is null and ${deposit.confirmedAt} < now() - interval '1 minute'`;

/** Counts the deposits of each chain that are to be booked out. */
export const countReorged = sql`
  select ${out(deposit, 'chainRef')}, count(*)::int ${as.int('count')} from ${deposit}
   where ${isBookedAndReorged} group by ${deposit.chainRef}`;

/** Counts the accounts of each chain that have held more than the books say for a minute: a node's history may lag a moment. */
export const countUnexplained = sql`
  select ${out(balance, 'chainRef')}, count(*)::int ${as.int('count')} from ${balance}
   where ${balance.since} < now() - interval '1 minute' group by ${balance.chainRef}`;

/** Where a page of deposits that a reorg removed begins, and of which environment it is; of all without one. */
export interface ReorgedPage {
  readonly environment?: Environment;
  readonly after?: string | null;
}

/** Finds the deposits to book out, and those that were booked out and are back on the chain, the oldest first. */
export const pendingReversals = (limit: number, { environment, after }: ReorgedPage = {}) => sql`
  select ${out(deposit, 'id', 'amount', 'blockHeight', 'intentId', 'merchantId')}, ${deposit.txHash.asNotNull('txHash')},
         coalesce(${deposit.goneAt}, ${deposit.reversedAt}) ${as.time('since')},
         ${deposit.goneAt} is null ${as.boolean('isBack')},
         ${out(chain, 'environment', 'network')}, ${out(token, 'symbol', 'decimals')}
    from ${deposit} join ${chain} on ${chain.id} = ${deposit.chainRef}
    join ${token} on ${token.chainRef} = ${deposit.chainRef} and ${token.contract} = ${deposit.tokenContract}
   where (${isBookedAndReorged}
      or (${deposit.goneAt} is null and ${deposit.reversedAt} is not null and ${deposit.restoredAt} is null))
     and ${deposit.id} > ${after ?? ''} and (${environment ?? null}::text is null or ${chain.environment} = ${environment ?? null})
   order by ${deposit.id} limit ${limit}`;
