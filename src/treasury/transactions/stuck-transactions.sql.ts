import { Chain } from '../../offers/chain.entity.js';
import { as } from '../../platform/sql/as.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { sql } from '../../platform/sql/sql.js';
import { out, set, table } from '../../platform/sql/table.js';
import { GasPriceSample } from '../fees/gas-price-sample.entity.js';
import { HotWallet } from '../wallets/hot-wallet.entity.js';
import { ChainTransaction } from './chain-transaction.entity.js';
import { TransactionAttempt } from './transaction-attempt.entity.js';

const wallet = table(HotWallet, 'wallet');
const chain = table(Chain);
const transaction = table(ChainTransaction);
const stuck = table(ChainTransaction, 'stuck');
const attempt = table(TransactionAttempt);
const sample = table(GasPriceSample, 'sample');

/** The transactions of a wallet that may be stuck. */
export interface StuckOf {
  readonly chainRef: string;
  readonly sender: string;
  /** The first nonce that is not mined. */
  readonly nextNonce: number;
}

/** When a transaction gets a higher fee. */
export interface StuckRules {
  readonly attemptsMax: number;
  readonly afterMs: number;
  /** When the next transaction gets it, even if it offers enough. */
  readonly forcedAfterMs: number;
  readonly limit: number;
}

/** Finds the wallets that may sign and have an old transaction without a wanted replacement. */
export const walletsWithOld = (afterMs: number) => sql`
  select ${out(wallet, 'chainRef', 'addressKey')} from ${wallet}
   where ${wallet.frozenReason} is null and exists (
     select from ${transaction}
      where ${transaction.chainRef} = ${wallet.chainRef} and ${transaction.status} = 'signed'
        and ${transaction.replaceWantedAt} is null
        and ${transaction.createdAt} < now() - ${afterMs} * interval '1 millisecond')`;

const newestAttempt = sql`
  select ${out(attempt, 'number', 'signedAt', 'maxFeePerGas', 'maxPriorityFeePerGas')} from ${attempt}
   where ${attempt.transactionId} = ${stuck.id} order by ${attempt.number} desc limit 1`;
const newest = subselect('newest', newestAttempt);

const newestSample = (chainRef: string) => sql`
  select ${out(sample, 'baseFee')} from ${sample} where ${sample.chainRef} = ${chainRef} order by ${sample.takenAt} desc limit 1`;
const fee = subselect('fee', newestSample);

/**
 * Marks old transactions that offer less than the network asks for now, and returns them. A transaction that offers enough
 * waits for those before it: only the next nonce may be delayed by its tip.
 */
export const markStuck = ({ chainRef, sender, nextNonce }: StuckOf, rules: StuckRules) => sql`
  update ${transaction} set ${set(transaction, { replaceWantedAt: sql`now()` })}
   where ${transaction.status} = 'signed' and ${transaction.replaceWantedAt} is null and ${transaction.id} in (
     select ${stuck.id}
       from ${stuck}
       join lateral ${define(newest)} on true
       join lateral ${define(fee, chainRef)} on true
      where ${stuck.chainRef} = ${chainRef} and ${stuck.sender} = ${sender} and ${stuck.nonce} >= ${nextNonce}
        and ${stuck.status} = 'signed' and ${stuck.replaceWantedAt} is null
        and ${newest.number} < ${rules.attemptsMax}
        and ${newest.signedAt} < now() - ${rules.afterMs} * interval '1 millisecond'
        and (${fee.baseFee} + ${newest.maxPriorityFeePerGas} > ${newest.maxFeePerGas}
             or (${stuck.nonce} = ${nextNonce} and ${newest.signedAt} < now() - ${rules.forcedAfterMs} * interval '1 millisecond'))
      order by ${stuck.nonce} limit ${rules.limit})
  returning ${out(transaction, 'id')}`;

const lowestOpen = sql`
  select ${out(transaction, 'id', 'chainRef', 'nonce', 'purpose', 'broadcastAt')},
         extract(epoch from clock_timestamp() - ${transaction.createdAt})::int ${as.int('seconds')}
    from ${transaction}
   where ${transaction.chainRef} = ${wallet.chainRef} and ${transaction.status} = 'signed' order by ${transaction.nonce} limit 1`;
const head = subselect('head', lowestOpen);

/** Finds the next transactions of active chains that were signed so many seconds ago and that no node has accepted. */
export const findUntaken = (afterSeconds: number) => sql`
  select ${head.id.as('transactionId')}, ${head.chainRef.as('chainRef')}, ${head.nonce.as('nonce')},
         ${head.purpose.as('purpose')}, ${head.seconds.as('seconds')}
    from ${wallet} join ${chain} on ${chain.id} = ${wallet.chainRef} and ${chain.active}
   cross join lateral ${define(head)}
   where ${head.broadcastAt} is null and ${head.seconds} >= ${afterSeconds} order by ${wallet.chainRef}`;

/**
 * Finds transactions of a wallet that ended up to a height and that the chain no longer counts, by their nonces. The same
 * bytes are safe unless they could pay an amount that was given back since.
 */
export const findDropped = ({ chainRef, sender, nextNonce }: StuckOf, height: number, limit: number) => sql`
  select ${out(transaction, 'id', 'nonce')}, ${out(attempt, 'rawTransaction')},
         ${transaction.status} = 'succeeded' or ${transaction.amount} = 0 ${as.boolean('isSafe')}
    from ${transaction}
    join ${attempt} on ${attempt.transactionId} = ${transaction.id} and ${attempt.txHash} = ${transaction.minedHash}
   where ${transaction.chainRef} = ${chainRef} and ${transaction.sender} = ${sender} and ${transaction.nonce} >= ${nextNonce}
     and ${transaction.status} in ('succeeded', 'reverted') and ${transaction.minedHeight} <= ${height}
   order by ${transaction.nonce} limit ${limit}`;
