import type { PaymentConditions } from '../../chains/expiring.js';
import type { AddressFamily } from '../../domain/network.js';
import { Chain } from '../../offers/chain.entity.js';
import { as } from '../../platform/sql/as.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table, values } from '../../platform/sql/table.js';
import { GasPriceSample } from '../fees/gas-price-sample.entity.js';
import { StakeOrder } from '../stakes/stake-order.entity.js';
import { Sweep } from '../sweeps/sweep.entity.js';
import { HotWallet } from '../wallets/hot-wallet.entity.js';
import { payment, unsignedPayments } from '../transactions/payment-tables.sql.js';

const sample = table(GasPriceSample);
const chain = table(Chain);
const sweep = table(Sweep);
const stake = table(StakeOrder);
const wallet = table(HotWallet);

/** The ages at which conditions are read again, in seconds. */
export interface ConditionAges {
  /** While payments, sweeps or stakes wait on the chain. */
  readonly busy: number;
  readonly idle: number;
}

/** Finds the newest conditions of a chain, unless they are older than some seconds. */
export const findFreshConditions = (chainRef: string, seconds: number) => sql`
  select ${out(sample, 'id')}, ${sample.details.asNotNull('details')} from ${sample}
   where ${sample.chainRef} = ${chainRef} and ${sample.details} is not null
     and ${sample.takenAt} > clock_timestamp() - make_interval(secs => ${seconds}::int)
   order by ${sample.takenAt} desc limit 1`;

/** Inserts conditions as they were at a time. */
export const insertConditions = (chainRef: string, details: PaymentConditions, takenAt: Date) => sql`
  insert into ${sample} ${values(sample, { chainRef, details, takenAt })}`;

/** Finds the active chains of families whose conditions are too old, with their hot wallets, and the time. */
export const findChainsToRead = (families: readonly AddressFamily[], { busy, idle }: ConditionAges) => sql`
  select ${out(chain, 'id')}, ${wallet.addressKey.asOrNull('hotWallet')}, clock_timestamp() ${as.time('now')}
    from ${chain} left join ${wallet} on ${wallet.chainRef} = ${chain.id}
   where ${chain.active} and ${chain.family} = any(${families}) and not exists (
     select from ${sample}
      where ${sample.chainRef} = ${chain.id} and ${sample.takenAt} > clock_timestamp() - make_interval(secs =>
            case when exists (select from ${unsignedPayments} where ${payment.chainRef} = ${chain.id})
                   or exists (select from ${sweep}
                               where ${sweep.chainRef} = ${chain.id} and ${sweep.finishedAt} is null
                                 and ${sweep.signedAt} is null)
                   or exists (select from ${stake}
                               where ${stake.chainRef} = ${chain.id} and ${stake.finishedAt} is null
                                 and ${stake.signedAt} is null)
                 then ${busy}::int else ${idle}::int end))`;
