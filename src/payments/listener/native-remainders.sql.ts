import { as } from '../../platform/sql/as.js';
import { given, unnest } from '../../platform/sql/given.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { sql } from '../../platform/sql/sql.js';
import { out, set, table } from '../../platform/sql/table.js';
import { Sweep } from '../../treasury/sweeps/sweep.entity.js';
import { SweepItem } from '../../treasury/sweeps/sweep-item.entity.js';
import { PoolAddress } from '../addresses/pool-address.entity.js';
import { Deposit } from '../deposits/deposit.entity.js';
import { nativeCoin } from '../deposits/native-coin.sql.js';
import { isReversedAndReorged } from '../deposits/reorged-deposit.sql.js';
import { PaymentIntent } from '../intents/payment-intent.entity.js';
import { burnedOn, fundedOn } from './seen-fundings.sql.js';

const deposit = table(Deposit);
const remainder = table(Deposit, 'remainder');
const booked = table(Deposit, 'booked');
const address = table(PoolAddress);
const intent = table(PaymentIntent);
const sweep = table(Sweep);
const item = table(SweepItem);
const read = given('read', { address: 'text', units: 'numeric' });
const transfer = given('transfer', { txHash: 'text', to: 'text', blockHeight: 'bigint' });

/** The balance of an address (lower case), in smallest units. */
interface ReadBalance {
  readonly address: string;
  readonly units: bigint;
}

/** A transaction in the chain's own coin that was read. */
interface ReadTransfer {
  readonly txHash: string | null;
  readonly to: string;
  readonly blockHeight: number;
}

const receivedOn = (chainRef: string) => sql`
  select coalesce(sum(${deposit.amount}), 0) ${as.digits('units')},
         coalesce(max(${deposit.blockHeight}), 0) ${as.digits('newest')}
    from ${deposit}
   where ${deposit.chainRef} = ${chainRef} and ${deposit.addressId} = ${address.id}
     and ${deposit.tokenContract} = ${nativeCoin} and ${deposit.status} <> 'orphaned'
     and not (${isReversedAndReorged} and not exists (
       select from ${item} join ${sweep} on ${sweep.id} = ${item.sweepId}
        where ${item.chainRef} = ${chainRef} and ${item.addressId} = ${address.id} and ${item.tokenContract} = ${nativeCoin}
          and ${item.swept} > 0 and ${item.sweptHeight} >= ${deposit.blockHeight}
          and ${sweep.finishedAt} < ${deposit.reversedAt}))`;
const received = subselect('received', receivedOn);

const takenFrom = (chainRef: string, height: number) => sql`
  select coalesce(sum(${item.swept}) filter (where ${item.sweptHeight} <= ${height}), 0) ${as.digits('units')},
         coalesce(bool_or(${item.swept} is null), false) ${as.boolean('isUnderWay')}
    from ${item}
   where ${item.chainRef} = ${chainRef} and ${item.addressId} = ${address.id}
     and ${item.tokenContract} = ${nativeCoin} and (${item.swept} is null or ${item.swept} > 0)`;
const taken = subselect('taken', takenFrom);
const funded = subselect('funded', fundedOn);
const burned = subselect('burned', burnedOn);

/**
 * The coins that the books have on an address (`address`) of a chain after the block of this height, and the height of the
 * newest deposit. Coins that the hot wallet sent there are added. Final sweeps, and what they burned, are subtracted. A sweep that is not final may have taken coins already: this shows as a
 * shortfall that is none, and coins that arrive meanwhile are counted too low by as much until the sweep is final. A deposit
 * that was booked out does not count, so that an equal amount that arrives in another way is a payment of its own; unless a
 * sweep had taken it, whose amount is subtracted too.
 */
const knownOn = (chainRef: string, height: number) => sql`
  select ${received.units} + ${funded.units} - ${taken.units} - ${burned.units} ${as.digits('units')},
         ${received.newest.as('newest')}, ${taken.isUnderWay} or ${burned.isUnderWay} ${as.boolean('isUnderWay')}
    from ${define(received, chainRef)}
   cross join ${define(taken, chainRef, height)}
   cross join ${define(funded, chainRef, height)}
   cross join ${define(burned, chainRef, height)}`;
const known = subselect('known', knownOn);

/** Finds the balances that differ from the books, by address (lower case), and the intent that expects the coin there. */
export const findDifferences = (chainRef: string, height: number, balances: readonly ReadBalance[]) => sql`
  select ${read.address.as('address')}, ${read.units} - ${known.units} ${as.digits('units')}, ${intent.id.asOrNull('intentId')}
    from ${unnest(read, balances)}
    join ${address} on ${address.addressKey} = ${read.address}
   cross join lateral ${define(known, chainRef, height)}
    left join ${intent}
      on ${intent.id} = ${address.intentId} and ${intent.chainRef} = ${chainRef} and ${intent.tokenContract} = ${nativeCoin}
   where ${read.units} > ${known.units}
      or (${read.units} < ${known.units} and ${known.newest} <= ${height} and not ${known.isUnderWay})`;

/**
 * Whether a sweep that takes or burns coins of the address of a deposit is under way. A balance below the books is no shortfall then,
 * so nothing contradicts a balance that was reported too high.
 */
export const isSweptNow = (chainRef: string) => sql`(exists (
  select from ${item}
   where ${item.chainRef} = ${chainRef} and ${item.addressId} = ${deposit.addressId} and ${item.tokenContract} = ${nativeCoin}
     and ${item.swept} is null)
  or exists (
  select from ${item}
   where ${item.chainRef} = ${chainRef} and ${item.addressId} = ${deposit.addressId} and ${item.costMax} is not null
     and ${item.swept} is null))`;

/** The same for a final sweep in the deposit's block or later; the balance must be read once more after it. */
export const wasSweptSince = (chainRef: string) => sql`(exists (
  select from ${item}
   where ${item.chainRef} = ${chainRef} and ${item.addressId} = ${deposit.addressId} and ${item.tokenContract} = ${nativeCoin}
     and ${item.swept} > 0 and ${item.sweptHeight} >= ${deposit.blockHeight})
  or exists (
  select from ${item}
   where ${item.chainRef} = ${chainRef} and ${item.addressId} = ${deposit.addressId} and ${item.costMax} is not null
     and ${item.burned} > 0 and ${item.burnedHeight} >= ${deposit.blockHeight}))`;

/** Finds the addresses with remainders that are not final yet and of which a sweep is under way. */
export const findUnderSweep = (chainRef: string) => sql`
  select distinct ${deposit.addressId.as('addressId')} from ${deposit}
   where ${deposit.chainRef} = ${chainRef} and ${deposit.status} = 'seen' and ${deposit.txHash} is null
     and ${isSweptNow(chainRef)}`;

/** Finds the remainders that are not final on addresses. */
export const findRemainders = (chainRef: string, addresses: readonly string[]) => sql`
  select ${out(deposit, 'id', 'intentId')} from ${deposit} join ${address} on ${address.id} = ${deposit.addressId}
   where ${deposit.chainRef} = ${chainRef} and ${deposit.txHash} is null and ${deposit.status} = 'seen'
     and ${address.addressKey} = any(${addresses})`;

/** Orphans deposits. */
export const markOrphaned = (ids: readonly string[]) => sql`
  update ${deposit} set ${set(deposit, { status: 'orphaned' })} where ${deposit.id} = any(${ids})`;

/** Finds the transactions that a remainder covers and that are not in the books themselves. */
export const findCovered = (chainRef: string, transfers: readonly ReadTransfer[]) => sql`
  select ${transfer.txHash.as('txHash')}
    from ${unnest(transfer, transfers)}
    join ${address} on ${address.addressKey} = ${transfer.to}
   where exists (
           select from ${remainder}
            where ${remainder.chainRef} = ${chainRef} and ${remainder.addressId} = ${address.id}
              and ${remainder.txHash} is null and ${remainder.status} <> 'orphaned'
              and ${remainder.blockHeight} >= ${transfer.blockHeight})
     and not exists (
           select from ${booked}
            where ${booked.chainRef} = ${chainRef} and ${booked.txHash} = ${transfer.txHash}
              and ${booked.tokenContract} = ${nativeCoin} and ${booked.status} <> 'orphaned')`;
