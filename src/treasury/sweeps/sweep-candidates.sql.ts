import { OPEN_STATUSES, TERMINAL_STATUSES } from '../../domain/intent-state.js';
import type { AddressFamily } from '../../domain/network.js';
import { Chain } from '../../offers/chain.entity.js';
import { ChainToken } from '../../offers/chain-token.entity.js';
import { DisprovedAddress } from '../../payments/addresses/disproved-address.entity.js';
import { PoolAddress } from '../../payments/addresses/pool-address.entity.js';
import { Deposit } from '../../payments/deposits/deposit.entity.js';
import { PaymentIntent } from '../../payments/intents/payment-intent.entity.js';
import { textList } from '../../platform/database/text-list.js';
import { as } from '../../platform/sql/as.js';
import { given, unnest } from '../../platform/sql/given.js';
import { all, define, subselect } from '../../platform/sql/relation.js';
import { raw, sql, type SqlText } from '../../platform/sql/sql.js';
import { every, out, type Table, table } from '../../platform/sql/table.js';
import { ChainTransaction } from '../transactions/chain-transaction.entity.js';
import { HotWallet } from '../wallets/hot-wallet.entity.js';
import { Delegation } from './delegation.entity.js';
import { DepositBalance } from './deposit-balance.entity.js';
import { heldOf } from './held-balance.sql.js';
import { isFrozen } from './frozen-balances.sql.js';

const chain = table(Chain);
const wallet = table(HotWallet);
const token = table(ChainToken, 'token');
const coin = table(ChainToken, 'coin');
const balance = table(DepositBalance);
const pool = table(PoolAddress);
const intent = table(PaymentIntent);
const delegation = table(Delegation);
const deposit = table(Deposit);
const disproved = table(DisprovedAddress);
const transaction = table(ChainTransaction);
const need = given('need', { chainRef: 'text', token: 'text' });

/** The columns of a balance, in their table or among the largest. */
type BalanceColumns = Pick<Table<DepositBalance>, keyof DepositBalance & string>;

/** Where candidates come from, and which of them count. */
interface Choice {
  readonly from: SqlText;
  readonly balance: BalanceColumns;
  readonly tokens?: SqlText;
  readonly intents: SqlText;
}

/** Balances of one token of one chain that can be swept. The largest come from an index. */
const isSweepable = (of: BalanceColumns): SqlText => sql`
  ${of.chainRef} = ${chain.id} and ${of.tokenContract} = ${token.contract}
    and ${heldOf(of)} > 0 and ${of.sweepId} is null and ${of.setAsideReason} is null
    and (${of.retryAt} is null or ${of.retryAt} <= now())`;

const addressOf = (of: BalanceColumns) => sql`
  select ${out(pool, 'addressKey', 'intentId')} from ${pool} where ${pool.id} = ${of.addressId} limit 1`;
const address = subselect('address', addressOf);

const intentOfAddress = sql`
  select ${out(intent, 'status', 'tokenContract', 'updatedAt')} from ${intent} where ${intent.id} = ${address.intentId} limit 1`;
const paidIntent = subselect('paid_intent', intentOfAddress);

/**
 * Payers of an intent that has ended may still pay for a while, and need its accounts: an account that is closed too early is
 * opened again at their cost.
 */
const isSettled = sql`
  (${address.intentId} is null
   or (${paidIntent.status} in ${raw(textList(TERMINAL_STATUSES))} and ${paidIntent.updatedAt} < now() - interval '1 hour'))`;

/** `offset 0` makes the planner look deposits up by their address, as for frozen ones. */
const depositsTo = (of: BalanceColumns) => sql`
  select ${out(deposit, 'status', 'chainRef', 'tokenContract')} from ${deposit}
   where ${deposit.addressId} = ${of.addressId} offset 0`;
const paid = subselect('paid', depositsTo);

/** Whether a deposit to the balance is not final yet. */
const isArriving = (of: BalanceColumns): SqlText => sql`
  exists (select from ${define(paid, of)}
           where ${paid.status} = 'seen' and ${paid.chainRef} = ${of.chainRef} and ${paid.tokenContract} = ${of.tokenContract})`;

const delegationOf = (of: BalanceColumns) => sql`
  select ${out(delegation, 'delegate')} from ${delegation}
   where ${delegation.chainRef} = ${of.chainRef} and ${delegation.addressId} = ${of.addressId} limit 1`;
const delegated = subselect('delegated', delegationOf);

/** Addresses and intents are looked up one by one. With a plain join the planner may start from all addresses. */
const largest = ({ from, balance: of, intents }: Choice, limit: number) => sql`
  select ${of.addressId.as('addressId')}, ${address.addressKey.as('addressKey')},
         ${heldOf(of)} ${as.digits('units')}, ${delegated.delegate} is not null ${as.boolean('isDelegated')},
         ${of.failures.as('failures')}, ${isSettled} ${as.boolean('isSettled')}, not ${isArriving(of)} ${as.boolean('isQuiet')}
    from ${from}
   cross join lateral ${define(address, of)}
    left join lateral ${define(paidIntent)} on true
    left join lateral ${define(delegated, of)} on true
   where ${isSweepable(of)} and not ${isFrozen(of)}
     and not exists (select from ${disproved} where ${disproved.addressId} = ${of.addressId})
     and ${intents}
   order by ${heldOf(of)} desc limit ${limit}`;
const candidate = subselect('candidate', largest);

/**
 * Finds for each token of each active chain with a hot wallet that may sign the largest balances whose intent allows it.
 * Excluded are frozen funds, and addresses that are not the vault's, for which it cannot sign. The balances come from an
 * index in this very order.
 */
const candidates = (families: readonly AddressFamily[], choice: Choice, limit: number) => sql`
  select ${chain.id.as('chainRef')}, ${out(chain, 'environment', 'network')}, ${token.contract.as('token')},
         ${out(token, 'symbol', 'decimals')}, ${coin.symbol.asOrNull('coinSymbol')},
         ${coin.decimals.asOrNull('coinDecimals')}, ${all(candidate)}
    from ${chain}
    join ${wallet} on ${wallet.chainRef} = ${chain.id} and ${wallet.frozenReason} is null
    join ${token} on ${token.chainRef} = ${chain.id} and ${token.enabled} and ${choice.tokens ?? sql`true`}
    left join ${coin} on ${coin.chainRef} = ${chain.id} and ${coin.contract} = 'native'
   cross join lateral ${define(candidate, choice, limit)}
   where ${chain.active} and ${chain.family} = any(${families})`;

/**
 * Finds the largest balances of addresses whose intent has ended, or that never had one: an address that delegates refuses
 * coin transfers with exactly 21,000 gas, as some exchanges send them, and one without its coins refuses small amounts where
 * the chain asks for a minimum.
 */
export const findCandidates = (families: readonly AddressFamily[], limit: number) =>
  candidates(
    families,
    {
      from: balance,
      balance,
      intents: sql`(${address.intentId} is null or ${paidIntent.status} in ${raw(textList(TERMINAL_STATUSES))})`,
    },
    limit,
  );

/** The largest balances to examine for open intents: most belong to ended ones. */
const examined = sql`
  select ${every(balance)} from ${balance}
   where ${isSweepable(balance)} order by ${heldOf(balance)} desc limit 1000`;
const largeBalance = subselect('large_balance', examined);

/**
 * Finds the largest balances of addresses whose intent is still to be paid in tokens, which a delegation does not hinder,
 * for the needed tokens. They are final and in a pocket already. Without them a merchant who withdraws a partial payment
 * would have to wait until the intent ends.
 */
export const findOpenCandidates = (
  families: readonly AddressFamily[],
  limit: number,
  needed: readonly { readonly chainRef: string; readonly token: string }[],
) =>
  candidates(
    families,
    {
      from: define(largeBalance),
      balance: largeBalance,
      tokens: sql`(${chain.id}, ${token.contract}) in (select ${need.chainRef}, ${need.token} from ${unnest(need, needed)})`,
      intents: sql`${paidIntent.status} in ${raw(textList(OPEN_STATUSES))} and ${paidIntent.tokenContract} <> 'native'`,
    },
    limit,
  );

/** Counts the last sweeps of a chain that were reverted as a whole, in a row. */
export const countReverted = (chainRef: string) => sql`
  select count(*)::int ${as.int('count')} from ${transaction}
   where ${transaction.chainRef} = ${chainRef} and ${transaction.purpose} = 'sweep' and ${transaction.status} = 'reverted'
     and ${transaction.minedHeight} > coalesce(
       (select max(${transaction.minedHeight}) from ${transaction}
         where ${transaction.chainRef} = ${chainRef} and ${transaction.purpose} = 'sweep'
           and ${transaction.status} = 'succeeded'), -1)`;
