import { Chain } from '../offers/chain.entity.js';
import { define, subselect } from '../platform/sql/relation.js';
import { sql } from '../platform/sql/sql.js';
import { out, table } from '../platform/sql/table.js';
import { StakeOrder } from '../treasury/stakes/stake-order.entity.js';
import { DepositBalance } from '../treasury/sweeps/deposit-balance.entity.js';
import { Sweep } from '../treasury/sweeps/sweep.entity.js';
import { BalanceSnapshot } from '../treasury/wallets/balance-snapshot.entity.js';
import { HotBalance } from '../treasury/wallets/hot-balance.entity.js';
import { HotWallet } from '../treasury/wallets/hot-wallet.entity.js';
import { TopUp } from '../treasury/wallets/top-up.entity.js';
import { markOf, SMALL_SET, topicOf } from './mark.sql.js';

const chain = table(Chain);
const wallet = table(HotWallet);
const balance = table(HotBalance);
const compared = table(BalanceSnapshot, 'compared');
const topUp = table(TopUp);
const sweep = table(Sweep);
const setAside = table(DepositBalance, 'set_aside');
const stake = table(StakeOrder);

const topic = topicOf('treasury');

const wallets = sql`
  select ${topic}, ${chain.environment.as('environment')}, ${markOf(wallet.chainRef, wallet.nextNonce, wallet.frozenReason)}
    from ${chain} join ${wallet} on ${wallet.chainRef} = ${chain.id} group by ${chain.environment}`;
const balances = sql`
  select ${topic}, ${chain.environment.as('environment')},
         ${markOf(balance.chainRef, balance.tokenContract, balance.amount)}
    from ${chain} join ${balance} on ${balance.chainRef} = ${chain.id} group by ${chain.environment}`;
const comparisons = sql`
  select ${topic}, ${chain.environment.as('environment')},
         ${markOf(compared.chainRef, compared.tokenContract, compared.bookedHeight, compared.missing)}
    from ${chain} join ${compared} on ${compared.chainRef} = ${chain.id} group by ${chain.environment}`;

const newTopUps = subselect(
  'new_top_ups',
  sql`select ${out(topUp, 'id', 'chainRef')} from ${topUp} order by ${topUp.id} desc limit 1`,
);
const topUps = sql`
  select ${topic}, ${chain.environment.as('environment')}, ${markOf(newTopUps.id)}
    from ${define(newTopUps)} join ${chain} on ${chain.id} = ${newTopUps.chainRef} group by ${chain.environment}`;

const openOfChain = subselect(
  'open_of_chain',
  sql`select ${out(sweep, 'id', 'waitingReason', 'signedAt')} from ${sweep}
       where ${sweep.chainRef} = ${chain.id} and ${sweep.finishedAt} is null order by ${sweep.createdAt} limit ${SMALL_SET}`,
);
const sweeps = sql`
  select ${topic}, ${chain.environment.as('environment')},
         ${markOf(openOfChain.id, openOfChain.waitingReason, openOfChain.signedAt)}
    from ${chain} cross join lateral ${define(openOfChain)} group by ${chain.environment}`;

const asideOfChain = subselect(
  'aside_of_chain',
  sql`select ${out(setAside, 'tokenContract', 'addressId')} from ${setAside}
       where ${setAside.chainRef} = ${chain.id} and ${setAside.setAsideReason} is not null
       order by ${setAside.tokenContract}, ${setAside.addressId} limit ${SMALL_SET}`,
);
const aside = sql`
  select ${topic}, ${chain.environment.as('environment')}, ${markOf(asideOfChain.tokenContract, asideOfChain.addressId)}
    from ${chain} cross join lateral ${define(asideOfChain)} group by ${chain.environment}`;

const newStakes = subselect(
  'new_stakes',
  sql`select ${out(stake, 'id', 'chainRef', 'waitingReason', 'signedAt', 'finishedAt')} from ${stake}
       order by ${stake.id} desc limit ${SMALL_SET}`,
);
const stakes = sql`
  select ${topic}, ${chain.environment.as('environment')},
         ${markOf(newStakes.id, newStakes.waitingReason, newStakes.signedAt, newStakes.finishedAt)}
    from ${define(newStakes)} join ${chain} on ${chain.id} = ${newStakes.chainRef} group by ${chain.environment}`;

/** The marks of our own funds and of what moves them. */
export const treasuryMarks = [wallets, balances, comparisons, topUps, sweeps, aside, stakes];
