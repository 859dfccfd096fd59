import { NATIVE_COIN } from '../../domain/network.js';
import { ChainBlock } from '../../offers/chain-block.entity.js';
import { ChainCursor } from '../../offers/chain-cursor.entity.js';
import { ChainToken } from '../../offers/chain-token.entity.js';
import { Chain } from '../../offers/chain.entity.js';
import { as } from '../../platform/sql/as.js';
import { given, unnest } from '../../platform/sql/given.js';
import { cte, define, named, relation, subselect } from '../../platform/sql/relation.js';
import type { Row } from '../../platform/sql/row.js';
import { sql, type SqlText } from '../../platform/sql/sql.js';
import { columns, out, set, table } from '../../platform/sql/table.js';
import { ChainTransaction } from '../transactions/chain-transaction.entity.js';
import { LossItem } from '../transactions/loss-item.entity.js';
import { TransactionAttempt } from '../transactions/transaction-attempt.entity.js';
import { BalanceSnapshot } from './balance-snapshot.entity.js';
import { HotBalance } from './hot-balance.entity.js';
import { HotWallet } from './hot-wallet.entity.js';

const wallet = table(HotWallet);
const balance = table(HotBalance);
const newer = table(HotBalance, 'excluded');
const snapshot = table(BalanceSnapshot);
const chain = table(Chain);
const cursor = table(ChainCursor);
const block = table(ChainBlock);
const token = table(ChainToken);
const transaction = table(ChainTransaction);
const attempt = table(TransactionAttempt);
const item = table(LossItem);
const held = given('held', { contract: 'text', amount: 'numeric' });

/** The amount of a token (contract, or `NATIVE_COIN`) in a wallet. */
export interface HeldAmount {
  readonly contract: string;
  readonly amount: bigint | null;
}

const listedTokens = sql`
  select array(select ${token.contract} from ${token}
                where ${token.chainRef} = ${wallet.chainRef} and ${token.enabled} and ${token.contract} <> ${NATIVE_COIN}
                order by ${token.contract}) ${as.texts('contracts')}`;
const listed = subselect('listed', listedTokens);
const wanted = relation<Row<ChainToken, 'contract'>>('wanted');

/**
 * Finds the hot wallets of EVM chains whose balance, nonce or balance snapshot is missing or older than the newest final
 * block, with that block and the tokens to read. `hash` is null when the listener has pruned the block or has not reached it
 * yet. A wallet that is not counted has no trusted transaction count: the chain has to be asked. A snapshot that waits for
 * its comparison is not read again. A halted chain has no new final blocks, so its balances stay as they are.
 */
export const staleWallets = sql`
  select ${out(wallet, 'chainRef', 'addressKey')}, ${wallet.chainNonce} is not null ${as.boolean('isCounted')},
         ${cursor.finalizedHeight.as('height')}, ${block.hash.asOrNull('hash')}, ${listed.contracts.as('tokens')}
    from ${wallet}
    join ${chain} on ${chain.id} = ${wallet.chainRef} and ${chain.active} and ${chain.family} = 'evm'
    join ${cursor} on ${cursor.chainRef} = ${wallet.chainRef}
    left join ${block} on ${block.chainRef} = ${wallet.chainRef} and ${block.height} = ${cursor.finalizedHeight}
   cross join lateral ${define(listed)}
   where ${wallet.chainNonce} is null or exists (
     select from unnest(array_append(${listed.contracts}, ${NATIVE_COIN})) as ${named(wanted, 'contract')}
      where not exists (select from ${balance}
                         where ${balance.chainRef} = ${wallet.chainRef} and ${balance.tokenContract} = ${wanted.contract}
                           and ${balance.height} >= ${cursor.finalizedHeight})
         or not exists (select from ${snapshot}
                         where ${snapshot.chainRef} = ${wallet.chainRef} and ${snapshot.tokenContract} = ${wanted.contract}
                           and (${snapshot.height} >= ${cursor.finalizedHeight}
                                or ${snapshot.bookedHeight} is distinct from ${snapshot.height})))`;

/** A text: a parameter, or a column. */
type Text = SqlText | string;

const highestFee = sql`
  select max(${attempt.maxFeePerGas}) ${as.digitsOrNull('maxFeePerGas')} from ${attempt}
   where ${attempt.transactionId} = ${transaction.id}`;
const highest = subselect('highest', highestFee);

/** What open transactions may cost at most, and what others have cost. */
const openCostsAnd = (others: SqlText, chainRef: Text, contract: Text) => sql`
  select case when ${contract}::text = ${NATIVE_COIN}
                then ${transaction.value} + coalesce(${transaction.costMax}, ${transaction.gasLimit} * ${highest.maxFeePerGas})
              when ${transaction.tokenContract} = ${contract} then ${transaction.amount} else 0 end ${as.digitsOrNull('units')}
    from ${wallet}
    join ${transaction}
      on ${transaction.chainRef} = ${wallet.chainRef} and ${transaction.sender} = ${wallet.addressKey}
   cross join lateral ${define(highest)}
   where ${wallet.chainRef} = ${chainRef} and ${transaction.status} = 'signed'
  union all ${others}`;

/** What transactions above the balance have cost. */
const endedCosts = (chainRef: Text, contract: Text) => sql`
  select case when ${contract}::text = ${NATIVE_COIN}
                then ${transaction.feePaid} + case ${transaction.status} when 'succeeded' then ${transaction.value} else 0 end
              when ${transaction.tokenContract} = ${contract} and ${transaction.status} = 'succeeded'
                then ${transaction.amount} else 0 end
    from ${balance}
    join ${wallet} on ${wallet.chainRef} = ${balance.chainRef}
    join ${transaction}
      on ${transaction.chainRef} = ${balance.chainRef} and ${transaction.sender} = ${wallet.addressKey}
   where ${balance.chainRef} = ${chainRef} and ${balance.tokenContract} = ${contract}
     and ${transaction.status} <> 'signed' and ${transaction.minedHeight} > ${balance.height}`;

/** What losses above the balance took. */
const losses = (chainRef: Text, contract: Text) => sql`
  select ${item.amount} from ${balance}
    join ${item} on ${item.chainRef} = ${balance.chainRef} and ${item.height} > ${balance.height}
   where ${balance.chainRef} = ${chainRef} and ${balance.tokenContract} = ${contract}
     and ${item.tokenContract} = ${contract}`;

/**
 * Reads the amount of a token that the hot wallet of a chain may promise; no row without a balance.
 *
 * The balance of the final block `height` includes the transactions mined up to it. All others are subtracted: open
 * ones with the highest cost of any attempt, and those that became final above `height` with their real cost (a loss
 * with every token that it took, a reverted one with its gas alone). A transaction mined below `height` and not yet
 * marked final is subtracted twice for a moment, which errs on the safe side. Null when the cost of a transaction is
 * unknown.
 */
export function spendableOf(chainRef: Text, contract: Text) {
  const others = sql`${endedCosts(chainRef, contract)} union all ${losses(chainRef, contract)}`;
  const promised = cte('promised', openCostsAnd(others, chainRef, contract));
  return sql`
    with ${define(promised)}
    select case when (select count(*) = count(${promised.units}) from ${promised})
                then ${balance.amount} - (select coalesce(sum(${promised.units}), 0) from ${promised}) end ${as.digitsOrNull('units')}
      from ${balance} where ${balance.chainRef} = ${chainRef} and ${balance.tokenContract} = ${contract}`;
}

/** Reads the balances of active chains in enabled tokens and in coins. */
export const balancesOfTokens = sql`
  select ${out(balance, 'chainRef', 'amount')}, ${out(token, 'symbol', 'decimals', 'minorUnitExponent')}
    from ${balance} join ${chain} on ${chain.id} = ${balance.chainRef} and ${chain.active}
    join ${token} on ${token.chainRef} = ${balance.chainRef} and ${token.contract} = ${balance.tokenContract}
   where ${token.enabled} or ${token.contract} = ${NATIVE_COIN}`;

/** Records balances at a final block, unless newer ones are recorded. */
export const recordBalances = (chainRef: string, height: number, amounts: readonly HeldAmount[]) => sql`
  insert into ${balance} ${columns(balance, 'chainRef', 'tokenContract', 'amount', 'height', 'takenAt')}
  select ${chainRef}, ${held.contract}, ${held.amount}, ${height}, now() from ${unnest(held, amounts)}
  on conflict ${columns(balance, 'chainRef', 'tokenContract')} do update
    set ${set(balance, { amount: newer.amount, height: newer.height, takenAt: newer.takenAt })}
  where ${newer.height} > ${balance.height}`;
