import { NATIVE_COIN } from '../../domain/network.js';
import { ChainCursor } from '../../offers/chain-cursor.entity.js';
import { ChainToken } from '../../offers/chain-token.entity.js';
import { Chain } from '../../offers/chain.entity.js';
import { as } from '../../platform/sql/as.js';
import { given, unnest } from '../../platform/sql/given.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { sql } from '../../platform/sql/sql.js';
import { columns, out, set, table } from '../../platform/sql/table.js';
import { ReturnedRent } from '../sweeps/expiring/returned-rent.entity.js';
import { SweepItem } from '../sweeps/sweep-item.entity.js';
import { ChainTransaction } from '../transactions/chain-transaction.entity.js';
import { LossItem } from '../transactions/loss-item.entity.js';
import { BalanceSnapshot } from './balance-snapshot.entity.js';
import type { HeldAmount } from './hot-balances.sql.js';
import { HotWallet } from './hot-wallet.entity.js';
import { TopUp } from './top-up.entity.js';

const known = table(BalanceSnapshot, 'known');
const newer = table(BalanceSnapshot, 'excluded');
const stock = table(BalanceSnapshot, 'stock');
const wallet = table(HotWallet);
const chain = table(Chain);
const cursor = table(ChainCursor);
const token = table(ChainToken);
const topUp = table(TopUp);
const sweepItem = table(SweepItem);
const rent = table(ReturnedRent);
const lossItem = table(LossItem);
const sent = table(ChainTransaction, 'sent');
const found = given('found', { contract: 'text', amount: 'numeric' });

/** A snapshot that could not be compared for this long is replaced: its node may have been wrong. */
const replacedAfter = sql`interval '5 minutes'`;

/** A final block, with the transactions that a wallet had sent up to it. */
export interface SnapshotBlock {
  readonly chainRef: string;
  readonly height: number;
  readonly hash: string;
  /** Null where the chain counts no transactions. */
  readonly nonce: number | null;
}

/**
 * Records a snapshot of the hot wallet of a chain at a final block. A snapshot that waits for its comparison stays, otherwise
 * a busy wallet would never be compared.
 */
export const recordSnapshot = ({ chainRef, height, hash, nonce }: SnapshotBlock, amounts: readonly HeldAmount[]) => sql`
  insert into ${known} ${columns(known, 'chainRef', 'tokenContract', 'height', 'blockHash', 'nonce', 'amount')}
  select ${chainRef}, ${found.contract}, ${height}, ${hash}, ${nonce}, ${found.amount} from ${unnest(found, amounts)}
  on conflict ${columns(known, 'chainRef', 'tokenContract')} do update
    set ${set(known, {
      height: newer.height,
      blockHash: newer.blockHash,
      nonce: newer.nonce,
      amount: newer.amount,
      takenAt: sql`now()`,
    })}
  where ${newer.height} > ${known.height}
    and (${known.bookedHeight} = ${known.height} or ${known.takenAt} < now() - ${replacedAfter})`;

/** Finds the hot wallets with snapshots that wait for their comparison, unless the finality of their chain is in doubt. */
export const uncomparedWallets = sql`
  select distinct ${out(wallet, 'chainRef', 'addressKey')}
    from ${stock}
    join ${wallet} on ${wallet.chainRef} = ${stock.chainRef}
    join ${chain} on ${chain.id} = ${stock.chainRef} and ${chain.active}
    join ${cursor} on ${cursor.chainRef} = ${stock.chainRef}
   where ${stock.height} > coalesce(${stock.bookedHeight}, -1)
     and coalesce(${cursor.haltedReason}, ${cursor.finalityDoubt}) is null`;

const sinceBlock = sql`select coalesce(${stock.bookedHeight}, -1) ${as.digits('height')}`;
const since = subselect('since', sinceBlock);

const knownUnits = sql`
  select case when ${stock.bookedHeight} is not null then ${stock.booked}
              else (select coalesce(sum(${topUp.amount}), 0) from ${topUp}
                     where ${topUp.chainRef} = ${stock.chainRef}
                       and ${topUp.tokenContract} = ${stock.tokenContract}) end ${as.digits('units')}`;
const before = subselect('before_it', knownUnits);

const sweptUnits = sql`
  select coalesce(sum(${sweepItem.swept}), 0) from ${sweepItem}
   where ${sweepItem.chainRef} = ${stock.chainRef} and ${sweepItem.tokenContract} = ${stock.tokenContract}
     and ${sweepItem.sweptHeight} > ${since.height} and ${sweepItem.sweptHeight} <= ${stock.height}`;
const rentUnits = sql`
  select coalesce(sum(${rent.amount}), 0) from ${rent}
   where ${rent.chainRef} = ${stock.chainRef} and ${stock.tokenContract} = ${NATIVE_COIN}
     and ${rent.height} > ${since.height} and ${rent.height} <= ${stock.height}`;
const broughtUnits = sql`select (${sweptUnits}) + (${rentUnits}) ${as.digits('units')}`;
const brought = subselect('brought', broughtUnits);

const spentUnits = sql`
  select count(*) ${as.digits('times')},
         coalesce(sum(case when ${stock.tokenContract} = ${NATIVE_COIN} then ${sent.feePaid} else 0 end
           + case when ${sent.status} = 'succeeded' and ${sent.tokenContract} = ${stock.tokenContract}
                  then ${sent.amount} else 0 end), 0) ${as.digits('units')}
    from ${sent}
   where ${sent.chainRef} = ${stock.chainRef} and ${sent.sender} = ${wallet.addressKey}
     and ${sent.minedHeight} > ${since.height} and ${sent.minedHeight} <= ${stock.height}`;
const spent = subselect('spent', spentUnits);

const lostUnits = sql`
  select coalesce(sum(${lossItem.amount}), 0) ${as.digits('units')} from ${lossItem}
   where ${lossItem.chainRef} = ${stock.chainRef} and ${lossItem.tokenContract} = ${stock.tokenContract}
     and ${lossItem.height} > ${since.height} and ${lossItem.height} <= ${stock.height}`;
const lost = subselect('lost', lostUnits);

/**
 * Reads the snapshots of a chain that can be compared now, each with the balance of the books at that block: the
 * previous result, plus sweeps with the rent that they returned, less payments and gas since then. A snapshot is ready once every transaction that the
 * chain counted is recorded as ended; an open one leaves its nonce out of the count. Where the chain counts none, every
 * transaction of a final block up to the snapshot is recorded, and every one that was signed before it has ended.
 */
export const comparableSnapshots = (chainRef: string) => sql`
  select ${out(stock, 'tokenContract', 'height', 'blockHash', 'nonce', 'amount')}, ${since.height.as('fromHeight')},
         ${before.units} + ${brought.units} - ${spent.units} - ${lost.units} ${as.digits('books')}
    from ${stock}
    join ${wallet} on ${wallet.chainRef} = ${stock.chainRef}
   cross join lateral ${define(since)}
   cross join lateral ${define(before)}
   cross join lateral ${define(brought)}
   cross join lateral ${define(spent)}
   cross join lateral ${define(lost)}
   where ${stock.chainRef} = ${chainRef} and ${stock.height} > ${since.height}
     and case when ${stock.nonce} is not null then ${stock.nonce} = coalesce(${stock.bookedNonce}, 0) + ${spent.times}
              else ${wallet.completeHeight} >= ${stock.height} and not exists (select from ${sent}
                                where ${sent.chainRef} = ${stock.chainRef} and ${sent.status} = 'signed'
                                  and ${sent.createdAt} <= ${stock.takenAt}) end
   order by ${stock.tokenContract}`;

/** Locks the snapshots of a chain in the order that all comparisons use. */
export const lockSnapshots = (chainRef: string) => sql`
  select from ${stock} where ${stock.chainRef} = ${chainRef} order by ${stock.tokenContract} for no key update`;

/** Records the result of a comparison. */
export const markCompared = (chainRef: string, contract: string, booked: bigint) => sql`
  update ${stock}
     set ${set(stock, {
       booked,
       bookedHeight: stock.height,
       bookedNonce: stock.nonce,
       missing: sql`${booked}::numeric - ${stock.amount}`,
       comparedAt: sql`now()`,
     })}
   where ${stock.chainRef} = ${chainRef} and ${stock.tokenContract} = ${contract}`;

/**
 * Reads each token of a hot wallet: whether some of it is missing (null: never compared), and for how many seconds it was
 * not compared although newer final blocks exist. Idle chains have none.
 */
export const comparedTokens = sql`
  select ${out(stock, 'chainRef')}, ${chain.environment} || '/' || ${chain.network} ${as.text('place')}, ${out(token, 'symbol')},
         case when ${stock.bookedHeight} is not null then ${stock.missing} > 0 end ${as.booleanOrNull('isShort')},
         case when ${stock.bookedHeight} >= ${cursor.finalizedHeight} then 0
              else extract(epoch from now() - coalesce(${stock.comparedAt}, ${wallet.createdAt})) end ${as.digits('age')}
    from ${stock} join ${chain} on ${chain.id} = ${stock.chainRef} and ${chain.active}
    join ${cursor} on ${cursor.chainRef} = ${stock.chainRef}
    join ${wallet} on ${wallet.chainRef} = ${stock.chainRef}
    join ${token} on ${token.chainRef} = ${stock.chainRef} and ${token.contract} = ${stock.tokenContract}
   where ${token.enabled} or ${token.contract} = ${NATIVE_COIN}
   order by age desc, place, ${token.symbol}`;
