import { Chain } from '../../offers/chain.entity.js';
import { as } from '../../platform/sql/as.js';
import { given, unnest } from '../../platform/sql/given.js';
import { sql, type SqlText } from '../../platform/sql/sql.js';
import { columns, out, set, table } from '../../platform/sql/table.js';
import { ChainTransaction } from '../transactions/chain-transaction.entity.js';
import { HotWallet } from '../wallets/hot-wallet.entity.js';
import { Delegation } from './delegation.entity.js';
import { EnergyLoan } from './energy/energy-loan.entity.js';
import { hasReturnsOnReplacedChains } from './energy/energy-returns.sql.js';
import { Funding } from './funding/funding.entity.js';
import { Sweep } from './sweep.entity.js';
import { SweepItem } from './sweep-item.entity.js';

const sweep = table(Sweep);
const item = table(SweepItem);
const delegation = table(Delegation);
const funding = table(Funding);
const loan = table(EnergyLoan);
const excluded = table(Delegation, 'excluded');
const transaction = table(ChainTransaction);
const chain = table(Chain);
const wallet = table(HotWallet);
const result = given('result', { position: 'int', units: 'numeric' });

/** Whether a transaction is a signed sweep, something that belongs to one, a stake or a deployment, on a replaced chain. */
const isOnReplacedChain = sql`
  ${transaction.status} = 'signed'
  and ${transaction.purpose} in ('sweep', 'funding', 'energy_loan', 'energy_return', 'stake', 'contract')
  and ${transaction.chainRef} in (select ${chain.id} from ${chain} where not ${chain.active})`;

/** Abandons the signed sweeps, what belongs to them, stakes, and deployments on replaced chains. */
export const abandonOnReplacedChains = sql`
  update ${transaction} set ${set(transaction, { status: 'abandoned', finishedAt: sql`now()` })} where ${isOnReplacedChain}`;

/** Intervals after which an unsigned sweep is outdated. */
interface OutdatedAfter {
  readonly unsignedFor: string;
  readonly refusedFor: string;
}

/**
 * Open sweeps that will never be mined: on a replaced chain, or unsigned for too long, which is less for one that the vault
 * refused to sign. While its funding or its loan is signed a sweep waits, and its time begins when they have ended.
 */
const outdated = ({ unsignedFor, refusedFor }: OutdatedAfter): SqlText => sql`
  ${sweep} join ${chain} on ${chain.id} = ${sweep.chainRef}
   where ${sweep.finishedAt} is null
     and (not ${chain.active} or (${sweep.signedAt} is null
          and not exists (select from ${funding} where ${funding.sweepId} = ${sweep.id} and ${funding.finishedAt} is null
                                                    and ${funding.signedAt} is not null)
          and not exists (select from ${loan} where ${loan.sweepId} = ${sweep.id} and ${loan.finishedAt} is null
                                                and ${loan.signedAt} is not null)
          and greatest(${sweep.createdAt},
                       (select ${funding.finishedAt} from ${funding} where ${funding.sweepId} = ${sweep.id}),
                       (select ${loan.finishedAt} from ${loan} where ${loan.sweepId} = ${sweep.id})) < now() - case when ${sweep.waitingReason} is null then ${unsignedFor} else ${refusedFor} end::interval))`;

/** Locks outdated sweeps. Skips those that another transaction has locked. */
export const lockOutdated = (after: OutdatedAfter, limit: number) => sql`
  select ${out(sweep, 'id')} from ${outdated(after)}
   order by ${sweep.id} limit ${limit} for update of ${sweep} skip locked`;

/** Returns a row if a sweep, or something that belongs to one, will never be mined. */
export const findAnyToGiveUp = (after: OutdatedAfter) => sql`
  select 1 ${as.int('found')}
   where exists (select from ${transaction} where ${isOnReplacedChain}) or ${hasReturnsOnReplacedChains}
      or exists (select from ${outdated(after)})`;

/** Finds a sweep with its chain and the hot wallet there. */
export const findSweep = (sweepId: string) => sql`
  select ${out(sweep, 'batch', 'chainRef')}, ${out(chain, 'environment', 'network')}, ${wallet.addressKey.as('treasury')}
    from ${sweep} join ${wallet} on ${wallet.chainRef} = ${sweep.chainRef}
    join ${chain} on ${chain.id} = ${sweep.chainRef}
   where ${sweep.id} = ${sweepId}`;

/** Records what each item of a sweep brought, and at which height. */
export const markSwept = (
  sweepId: string,
  height: number,
  results: readonly { readonly position: number; readonly units: bigint }[],
) => sql`
  update ${item}
     set ${set(item, {
       swept: result.units,
       sweptHeight: sql`case when ${result.units} > 0 then ${height}::bigint end`,
     })}
    from ${unnest(result, results)}
   where ${item.sweepId} = ${sweepId} and ${item.position} = ${result.position}`;

/** Records the delegate of each address from which a sweep brought something, unless a later sweep has recorded it. */
export const upsertDelegations = (sweepId: string, height: number) => sql`
  insert into ${delegation} ${columns(delegation, 'chainRef', 'addressId', 'delegate', 'sinceHeight')}
  select distinct ${item.chainRef}, ${item.addressId}, ${sweep.delegate}, ${height}::bigint
    from ${item} join ${sweep} on ${sweep.id} = ${item.sweepId}
   where ${item.sweepId} = ${sweepId} and ${item.swept} > 0
  on conflict ${columns(delegation, 'chainRef', 'addressId')} do update
    set ${set(delegation, { delegate: excluded.delegate, sinceHeight: excluded.sinceHeight })}
  where ${delegation.delegate} <> ${excluded.delegate} and ${delegation.sinceHeight} <= ${excluded.sinceHeight}`;
