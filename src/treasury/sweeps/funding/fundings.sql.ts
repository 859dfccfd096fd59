import { NATIVE_COIN } from '../../../domain/network.js';
import { Chain } from '../../../offers/chain.entity.js';
import { PoolAddress } from '../../../payments/addresses/pool-address.entity.js';
import { sql } from '../../../platform/sql/sql.js';
import { columns, out, set, table, values } from '../../../platform/sql/table.js';
import { DepositBalance } from '../deposit-balance.entity.js';
import { SweepItem } from '../sweep-item.entity.js';
import { Funding } from './funding.entity.js';

const funding = table(Funding);
const chain = table(Chain);
const address = table(PoolAddress);
const balance = table(DepositBalance);
const added = table(DepositBalance, 'excluded');
const item = table(SweepItem);

/** Inserts the funding of a sweep. */
export const insertFunding = (row: Pick<Funding, 'id' | 'sweepId' | 'chainRef' | 'addressId' | 'amount'>) => sql`
  insert into ${funding} ${values(funding, row)}`;

/** Locks a funding, with the address that it pays: one of the chain's own environment and family alone. */
export const lockFunding = (id: string) => sql`
  select ${out(funding, 'chainRef', 'amount', 'sweepId', 'addressId')}, ${address.addressKey.as('recipient')},
         ${address.derivationIndex.as('index')}
    from ${funding}
    join ${chain} on ${chain.id} = ${funding.chainRef}
    join ${address} on ${address.id} = ${funding.addressId} and ${address.environment} = ${chain.environment}
                   and ${address.family} = ${chain.family}
   where ${funding.id} = ${id} for no key update of ${funding}`;

/** Marks a funding as unsigned, so that it gets another transaction. */
export const markFundingUnsigned = (id: string) => sql`
  update ${funding} set ${set(funding, { signedAt: null, waitingReason: null })} where ${funding.id} = ${id}`;

/** Ends a funding with the amount that arrived. */
export const endFunding = (id: string, arrived: bigint, height: number) => sql`
  update ${funding}
     set ${set(funding, {
       arrived,
       arrivedHeight: arrived > 0n ? height : null,
       waitingReason: null,
       finishedAt: sql`now()`,
     })}
   where ${funding.id} = ${id}`;

/** Ends the open fundings of sweeps that have ended: nothing will arrive. */
export const endFundingsOf = (sweepIds: readonly string[]) => sql`
  update ${funding} set ${set(funding, { arrived: 0n, waitingReason: null, finishedAt: sql`now()` })}
   where ${funding.sweepId} = any(${sweepIds}) and ${funding.finishedAt} is null`;

/** Adds coins that the hot wallet has sent to what an address holds. */
export const addFunded = (chainRef: string, addressId: string, amount: bigint) => sql`
  insert into ${balance} ${columns(balance, 'chainRef', 'tokenContract', 'addressId', 'received', 'funded')}
  values (${chainRef}, ${NATIVE_COIN}, ${addressId}, 0, ${amount}::numeric)
  on conflict ${columns(balance, 'chainRef', 'tokenContract', 'addressId')} do update
    set ${set(balance, { funded: sql`${balance.funded} + ${amount}::numeric` })}`;

/** Records what a sweep burned at its address. */
export const markBurned = (sweepId: string, burned: bigint, height: number) => sql`
  update ${item} set ${set(item, { burned, burnedHeight: burned > 0n ? height : null })}
   where ${item.sweepId} = ${sweepId} and ${item.costMax} is not null and ${item.swept} is null`;

/** Takes what an ended sweep burned off what its address holds. */
export const subtractBurned = (sweepId: string) => sql`
  insert into ${balance} ${columns(balance, 'chainRef', 'tokenContract', 'addressId', 'received', 'burned')}
  select ${item.chainRef}, ${NATIVE_COIN}, ${item.addressId}, 0, ${item.burned} from ${item}
   where ${item.sweepId} = ${sweepId} and ${item.burned} > 0
  on conflict ${columns(balance, 'chainRef', 'tokenContract', 'addressId')} do update
    set ${set(balance, { burned: sql`${balance.burned} + ${added.burned}` })}`;
