import { Account } from '../../ledger/account.entity.js';
import { Posting } from '../../ledger/posting.entity.js';
import { Chain } from '../../offers/chain.entity.js';
import { Deposit } from '../../payments/deposits/deposit.entity.js';
import { AuditEntry } from '../../platform/audit-entry.entity.js';
import { as } from '../../platform/sql/as.js';
import { define, lines, subselect } from '../../platform/sql/relation.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { DepositBalance } from '../../treasury/sweeps/deposit-balance.entity.js';
import { heldOf } from '../../treasury/sweeps/held-balance.sql.js';
import { ChainTransaction } from '../../treasury/transactions/chain-transaction.entity.js';
import { BalanceSnapshot } from '../../treasury/wallets/balance-snapshot.entity.js';
import { Discrepancy } from '../../treasury/wallets/discrepancy.entity.js';
import { TopUp } from '../../treasury/wallets/top-up.entity.js';
import { statementCheck } from '../check.js';
import { assetOf, bookedExactly, systemAccount } from './booked-exactly.sql.js';
import { hotWalletMoves } from './hot-wallet-moves.sql.js';

const topUp = table(TopUp);
const shortage = table(Discrepancy);
const stocktaking = table(BalanceSnapshot);
const stock = table(BalanceSnapshot, 'stock');
const balance = table(DepositBalance, 'balance');
const deposit = table(Deposit);
const chain = table(Chain);
const account = table(Account);
const posting = table(Posting);
const decision = table(AuditEntry, 'decision');
const move = subselect('move', hotWalletMoves);

function topUpLegs() {
  const asset = assetOf(chain.network, topUp.tokenContract);
  const leg = lines('leg', [
    { accountId: systemAccount('chain', chain.environment, asset), amount: sql`-${topUp.amount}` },
    { accountId: systemAccount('capital', chain.environment, asset), amount: topUp.amount },
  ]);
  return sql`
    select 'top_up ' || ${topUp.id} ${as.text('fact')}, 'top_up:' || ${topUp.id} ${as.text('reference')},
           'top_up' ${as.text('kind')}, ${leg.accountId.as('accountId')}, ${leg.amount.as('amount')}
      from ${topUp} join ${chain} on ${chain.id} = ${topUp.chainRef}
     cross join lateral ${define(leg)}`;
}

function discrepancyLegs() {
  const asset = assetOf(chain.network, shortage.tokenContract);
  const leg = lines('leg', [
    { accountId: systemAccount('chain', chain.environment, asset), amount: shortage.amount },
    { accountId: systemAccount('receivable', chain.environment, asset), amount: sql`-${shortage.amount}` },
  ]);
  return sql`
    select 'shortage ' || ${shortage.id} ${as.text('fact')}, 'shortage:' || ${shortage.id} ${as.text('reference')},
           'shortage' ${as.text('kind')}, ${leg.accountId.as('accountId')}, ${leg.amount.as('amount')}
      from ${shortage} join ${chain} on ${chain.id} = ${shortage.chainRef}
      join ${decision} on ${decision.subject} = ${shortage.id} and ${decision.action} = 'treasury.write_off'
     cross join lateral ${define(leg)}`;
}

/** The rule that a hot wallet holds the funds of the books. A breach concerns its chain alone. */
export const FUNDS_ARE_PRESENT = 'hot_wallets_lack_nothing';

function stocktakingsOff() {
  const topped = subselect(
    'topped',
    sql`select ${out(topUp, 'chainRef', 'tokenContract')}, sum(${topUp.amount}) ${as.digits('units')} from ${topUp}
         group by ${topUp.chainRef}, ${topUp.tokenContract}`,
  );
  const moved = subselect(
    'moved',
    sql`select ${out(stock, 'chainRef', 'tokenContract')}, sum(${move.units}) ${as.digits('units')}
          from ${stock} join ${define(move)}
            on ${move.chainRef} = ${stock.chainRef} and ${move.token} = ${stock.tokenContract}
         where ${move.height} <= ${stock.bookedHeight}
         group by ${stock.chainRef}, ${stock.tokenContract}`,
  );
  const sent = subselect('sent', endedTransactions());
  const { chainRef, tokenContract, booked, bookedHeight, bookedNonce } = stocktaking;
  return sql`
    select 'stocktaking ' || ${chainRef} || '/' || ${tokenContract} ${as.text('row')},
           format('has %s in the books at block %s after %s transactions; the rows behind it make %s after %s', ${booked},
                  ${bookedHeight}, ${bookedNonce}, coalesce(${topped.units}, 0) + coalesce(${moved.units}, 0),
                  coalesce(${sent.times}, 0)) ${as.text('says')},
           abs(${booked} - coalesce(${topped.units}, 0) - coalesce(${moved.units}, 0))
             + abs(${bookedNonce} - coalesce(${sent.times}, 0)) ${as.digitsOrNull('gap')}
      from ${stocktaking}
      left join ${define(topped)} on ${topped.chainRef} = ${chainRef} and ${topped.tokenContract} = ${tokenContract}
      left join ${define(moved)} on ${moved.chainRef} = ${chainRef} and ${moved.tokenContract} = ${tokenContract}
      left join ${define(sent)} on ${sent.chainRef} = ${chainRef} and ${sent.tokenContract} = ${tokenContract}
     where ${bookedHeight} is not null
       and (${booked} <> coalesce(${topped.units}, 0) + coalesce(${moved.units}, 0)
            or ${bookedNonce} <> coalesce(${sent.times}, 0))
     order by ${chainRef}, ${tokenContract}`;
}

function endedTransactions() {
  const ended = table(ChainTransaction, 'ended');
  return sql`
    select ${out(stock, 'chainRef', 'tokenContract')}, count(*) ${as.digits('times')}
      from ${stock} join ${ended} on ${ended.chainRef} = ${stock.chainRef}
     where ${ended.minedHeight} <= ${stock.bookedHeight}
     group by ${stock.chainRef}, ${stock.tokenContract}`;
}

/**
 * Our funds by place: on deposit addresses by their stored sums, less deposits that are not in the ledger; in hot wallets by
 * the last comparison and the movements since.
 */
const fundsByPlace = sql`
  select ${balance.chainRef.as('chainRef')}, ${balance.tokenContract} ${as.text('token')},
         ${heldOf(balance)} ${as.digits('units')}
    from ${balance}
   union all
  select ${deposit.chainRef}, ${deposit.tokenContract}, -${deposit.amount} from ${deposit}
   where ${deposit.status} = 'confirmed'
     and (${deposit.bookedAt} is null or (${deposit.reversedAt} is not null and ${deposit.restoredAt} is null))
   union all
  select ${stock.chainRef}, ${stock.tokenContract}, ${stock.booked} from ${stock} where ${stock.booked} is not null
   union all
  select ${move.chainRef}, ${move.token}, ${move.units} from ${define(move)}
    left join ${stock} on ${stock.chainRef} = ${move.chainRef} and ${stock.tokenContract} = ${move.token}
   where ${move.height} > coalesce(${stock.bookedHeight}, -1)`;

function chainAccountsOff() {
  const posted = subselect(
    'posted',
    sql`select ${out(posting, 'accountId')}, sum(${posting.amount}) ${as.digits('units')} from ${posting}
         group by ${posting.accountId}`,
  );
  const part = subselect('part', fundsByPlace);
  const asset = sql`${chain.network} || ':' || ${part.token}`;
  const lies = subselect(
    'lies',
    sql`select ${out(chain, 'environment')}, ${asset} ${as.text('asset')}, sum(${part.units}) ${as.digits('units')}
          from ${define(part)} join ${chain} on ${chain.id} = ${part.chainRef}
         group by ${chain.environment}, ${asset}`,
  );
  const gap = sql`coalesce(${posted.units}, 0) + coalesce(${lies.units}, 0)`;
  return sql`
    select 'account ' || ${account.id} ${as.text('row')},
           format('owes %s of %s, and %s lies on deposit addresses and in hot wallets', -coalesce(${posted.units}, 0),
                  ${account.asset}, coalesce(${lies.units}, 0)) ${as.text('says')},
           ${gap} ${as.digits('gap')}
      from ${account}
      left join ${define(posted)} on ${posted.accountId} = ${account.id}
      left join ${define(lies)} on ${lies.environment} = ${account.environment} and ${lies.asset} = ${account.asset}
     where ${account.kind} = 'chain' and ${gap} <> 0
     order by ${account.id}`;
}

/** The gap includes discrepancies that were booked out, so that only a further one is a new finding. */
function missingFunds() {
  const { chainRef, tokenContract, missing, booked, bookedHeight } = stocktaking;
  return sql`
    select 'stocktaking ' || ${chainRef} || '/' || ${tokenContract} ${as.text('row')},
           format('lacked %s of %s at block %s', ${missing}, ${booked}, ${bookedHeight}) ${as.text('says')},
           ${missing} + (select coalesce(sum(${shortage.amount}), 0) from ${shortage}
                          where ${shortage.chainRef} = ${chainRef}
                            and ${shortage.tokenContract} = ${tokenContract}) ${as.digits('gap')}
      from ${stocktaking} join ${chain} on ${chain.id} = ${chainRef} and ${chain.active}
     where ${missing} <> 0 order by ${chainRef}, ${tokenContract}`;
}

/** Our funds: top-ups of operators, and the place of every unit in the books. */
export const HOT_WALLET_CHECKS = [
  bookedExactly(
    'top_ups_are_booked',
    'Funds that reached a hot wallet other than by a sweep are booked once, as capital, and nothing else is.',
    ['top_up'],
    topUpLegs(),
  ),
  bookedExactly(
    'shortages_are_booked',
    'A discrepancy of a hot wallet is booked as a receivable when staff book it out, and nothing else is.',
    ['shortage'],
    discrepancyLegs(),
  ),
  statementCheck(
    'stocktakings_add_up',
    'The book balance of a hot wallet is its top-ups and sweeps, less payments, gas and discrepancies that were booked out.',
    stocktakingsOff(),
  ),
  statementCheck(
    FUNDS_ARE_PRESENT,
    'At the last comparison with its chain, a hot wallet in use held the funds of the books.',
    missingFunds(),
  ),
  statementCheck(
    'chain_owes_what_lies_there',
    'For each network and token, the ledger holds the funds on deposit addresses and in hot wallets.',
    chainAccountsOff(),
  ),
] as const;
