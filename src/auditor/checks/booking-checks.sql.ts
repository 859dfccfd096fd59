import { Entry, type EntryKind } from '../../ledger/entry.entity.js';
import { Pocket } from '../../ledger/pocket.entity.js';
import { Chain } from '../../offers/chain.entity.js';
import { as } from '../../platform/sql/as.js';
import { define, lines, subselect } from '../../platform/sql/relation.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { ReturnedRent } from '../../treasury/sweeps/expiring/returned-rent.entity.js';
import { ChainTransaction } from '../../treasury/transactions/chain-transaction.entity.js';
import { LossItem } from '../../treasury/transactions/loss-item.entity.js';
import { Withdrawal } from '../../withdrawals/withdrawal.entity.js';
import { type Check, statementCheck } from '../check.js';
import { assetOf, bookedExactly, systemAccount } from './booked-exactly.sql.js';
import { DEPOSIT_BOOKING_CHECKS, DEPOSIT_ENTRY_KINDS } from './deposit-booking-checks.sql.js';
import { REFUND_ENTRY_KINDS, REFUNDS_ARE_BOOKED } from './refund-checks.sql.js';

const entry = table(Entry);
const withdrawal = table(Withdrawal);
const pocket = table(Pocket);
const chain = table(Chain);
const rent = table(ReturnedRent);
const sent = table(ChainTransaction, 'sent');
const item = table(LossItem, 'item');

function withdrawalLegs() {
  const due = subselect(
    'due',
    sql`select ${withdrawal.amount} + ${withdrawal.feeAmount} ${as.digits('total')},
               ${assetOf(pocket.network, pocket.tokenContract)} ${as.text('asset')}`,
  );
  const { availableAccountId: available, heldAccountId: held } = pocket;
  const plus = due.total;
  const minus = sql`-${due.total}`;
  const onChain = systemAccount('chain', pocket.environment, due.asset);
  const feeIncome = systemAccount('fee_income', pocket.environment, due.asset);
  const leg = lines('leg', [
    { suffix: '', kind: 'withdrawal', accountId: available, amount: minus },
    { suffix: '', kind: 'withdrawal', accountId: held, amount: plus },
    { suffix: ':paid', kind: 'withdrawal_paid', accountId: held, amount: minus },
    { suffix: ':paid', kind: 'withdrawal_paid', accountId: onChain, amount: withdrawal.amount },
    { suffix: ':paid', kind: 'withdrawal_paid', accountId: feeIncome, amount: withdrawal.feeAmount },
    { suffix: ':refund', kind: 'withdrawal_refund', accountId: held, amount: minus },
    { suffix: ':refund', kind: 'withdrawal_refund', accountId: available, amount: plus },
  ]);
  return sql`
    select 'withdrawal ' || ${withdrawal.id} ${as.text('fact')},
           'withdrawal:' || ${withdrawal.id} || ${leg.suffix} ${as.text('reference')}, ${leg.kind.as('kind')},
           ${leg.accountId.as('accountId')}, ${leg.amount.as('amount')}
      from ${withdrawal} join ${pocket} on ${pocket.id} = ${withdrawal.pocketId}
     cross join lateral ${define(due)}
     cross join lateral ${define(leg)}
     where ${leg.suffix} = ''
        or (${withdrawal.status}, ${leg.suffix}) in (('completed', ':paid'), ('failed', ':refund'))`;
}

function gasLegs() {
  const coin = sql`${chain.network} || ':native'`;
  const leg = lines('leg', [
    { accountId: systemAccount('chain', chain.environment, coin), amount: sent.feePaid },
    { accountId: systemAccount('network_fees', chain.environment, coin), amount: sql`-${sent.feePaid}` },
  ]);
  return sql`
    select 'chain_transaction ' || ${sent.id} ${as.text('fact')}, 'gas:' || ${sent.id} ${as.text('reference')},
           'network_fee' ${as.text('kind')}, ${leg.accountId.as('accountId')}, ${leg.amount.as('amount')}
      from ${sent} join ${chain} on ${chain.id} = ${sent.chainRef}
     cross join lateral ${define(leg)}
     where ${sent.feePaid} > 0`;
}

function rentLegs() {
  const coin = sql`${chain.network} || ':native'`;
  const leg = lines('leg', [
    { accountId: systemAccount('chain', chain.environment, coin), amount: sql`-${rent.amount}` },
    { accountId: systemAccount('network_fees', chain.environment, coin), amount: rent.amount },
  ]);
  return sql`
    select 'returned_rent ' || ${rent.sweepId} ${as.text('fact')}, 'rent:' || ${rent.sweepId} ${as.text('reference')},
           'returned_rent' ${as.text('kind')}, ${leg.accountId.as('accountId')}, ${leg.amount.as('amount')}
      from ${rent} join ${chain} on ${chain.id} = ${rent.chainRef}
     cross join lateral ${define(leg)}`;
}

/** The coin of a loss is in its row, its tokens are in its items. */
function lossLegs() {
  const coin = table(ChainTransaction, 'coin');
  const lost = subselect(
    'lost',
    sql`select ${out(coin, 'id', 'purposeId', 'chainRef', 'tokenContract', 'amount')} from ${coin}
         where ${coin.purpose} = 'loss' and ${coin.status} = 'succeeded' and ${coin.amount} > 0
         union all
        select ${sent.id}, ${sent.purposeId}, ${item.chainRef}, ${item.tokenContract}, ${item.amount}
          from ${item} join ${sent} on ${sent.id} = ${item.transactionId}`,
  );
  const asset = assetOf(chain.network, lost.tokenContract);
  const leg = lines('leg', [
    { accountId: systemAccount('chain', chain.environment, asset), amount: lost.amount },
    { accountId: systemAccount('receivable', chain.environment, asset), amount: sql`-${lost.amount}` },
  ]);
  return sql`
    select 'chain_transaction ' || ${lost.id} ${as.text('fact')}, 'loss:' || ${lost.purposeId} ${as.text('reference')},
           'loss' ${as.text('kind')}, ${leg.accountId.as('accountId')}, ${leg.amount.as('amount')}
      from ${define(lost)} join ${chain} on ${chain.id} = ${lost.chainRef}
     cross join lateral ${define(leg)}`;
}

const WITHDRAWAL_KINDS = ['withdrawal', 'withdrawal_paid', 'withdrawal_refund'] as const;
const KINDS = [
  ...DEPOSIT_ENTRY_KINDS,
  ...REFUND_ENTRY_KINDS,
  ...WITHDRAWAL_KINDS,
  'network_fee',
  'returned_rent',
  'loss',
  'top_up',
  'shortage',
] as const satisfies readonly EntryKind[];

/** Entries against the facts behind them. Together these checks explain every posting. */
export const BOOKING_CHECKS: readonly Check[] = [
  statementCheck(
    'kinds_are_known',
    'Every entry has a known kind.',
    sql`select 'entry ' || ${entry.id} ${as.text('row')}, format('is of the kind %s', ${entry.kind}) ${as.text('says')}
          from ${entry} where ${entry.kind} <> all(${KINDS}::text[]) order by ${entry.id}`,
  ),
  ...DEPOSIT_BOOKING_CHECKS,
  REFUNDS_ARE_BOOKED,
  bookedExactly(
    'withdrawals_are_booked',
    'Amount and fee of a withdrawal are held when it is ordered, booked out when it is paid, and refunded when it fails.',
    WITHDRAWAL_KINDS,
    withdrawalLegs(),
  ),
  bookedExactly(
    'gas_is_booked',
    'The gas of every mined transaction is booked with its amount, and no other gas is.',
    ['network_fee'],
    gasLegs(),
  ),
  bookedExactly(
    'returned_rent_is_booked',
    'The rent of accounts that a sweep closed is booked once, against the network fees, and no other rent is.',
    ['returned_rent'],
    rentLegs(),
  ),
  bookedExactly(
    'losses_are_booked',
    'A payment of a hot wallet without an order is booked as a receivable, once staff have adopted it and it is final.',
    ['loss'],
    lossLegs(),
  ),
];
