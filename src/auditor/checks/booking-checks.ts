import type { EntryKind } from '../../ledger/entry.entity.js';
import { textList } from '../../platform/database/text-list.js';
import { bookedExactly, systemAccount } from './booked-exactly.js';
import { type Check, statementCheck } from '../check.js';
import { DEPOSIT_BOOKING_CHECKS, DEPOSIT_ENTRY_KINDS } from './deposit-booking-checks.js';
import { REFUND_ENTRY_KINDS, REFUNDS_ARE_BOOKED } from './refund-checks.js';

const WITHDRAWAL_LEGS = `
  select 'withdrawal ' || withdrawal.id as fact, 'withdrawal:' || withdrawal.id || leg.suffix as reference, leg.kind,
         leg.account_id, leg.amount
    from withdrawal join pocket on pocket.id = withdrawal.pocket_id
   cross join lateral (select withdrawal.amount + withdrawal.fee_amount as total,
                              pocket.network || ':' || lower(pocket.token_contract) as asset) due
   cross join lateral (values
     ('', 'withdrawal', pocket.available_account_id, -due.total),
     ('', 'withdrawal', pocket.held_account_id, due.total),
     (':paid', 'withdrawal_paid', pocket.held_account_id, -due.total),
     (':paid', 'withdrawal_paid', ${systemAccount('chain', 'pocket.environment', 'due.asset')}, withdrawal.amount),
     (':paid', 'withdrawal_paid', ${systemAccount('fee_income', 'pocket.environment', 'due.asset')},
      withdrawal.fee_amount),
     (':refund', 'withdrawal_refund', pocket.held_account_id, -due.total),
     (':refund', 'withdrawal_refund', pocket.available_account_id, due.total))
       as leg (suffix, kind, account_id, amount)
   where leg.suffix = '' or (withdrawal.status, leg.suffix) in (('completed', ':paid'), ('failed', ':refund'))`;

const GAS_LEGS = `
  select 'chain_transaction ' || sent.id as fact, 'gas:' || sent.id as reference, 'network_fee' as kind, leg.account_id,
         leg.amount
    from chain_transaction sent join chain on chain.id = sent.chain_ref
   cross join lateral (values
     (${systemAccount('chain', 'chain.environment', `chain.network || ':native'`)}, sent.fee_paid),
     (${systemAccount('network_fees', 'chain.environment', `chain.network || ':native'`)}, -sent.fee_paid))
       as leg (account_id, amount)
   where sent.fee_paid > 0`;

const LOST_ASSET = `chain.network || ':' || lower(lost.token_contract)`;

/** The coin of a loss is in its row, its tokens are in its items. */
const LOSS_LEGS = `
  select 'chain_transaction ' || lost.id as fact, 'loss:' || lost.purpose_id as reference, 'loss' as kind,
         leg.account_id, leg.amount
    from (select id, purpose_id, chain_ref, token_contract, amount from chain_transaction
           where purpose = 'loss' and status = 'succeeded' and amount > 0
           union all
          select sent.id, sent.purpose_id, item.chain_ref, item.token_contract, item.amount
            from loss_item item join chain_transaction sent on sent.id = item.transaction_id) lost
    join chain on chain.id = lost.chain_ref
   cross join lateral (values
     (${systemAccount('chain', 'chain.environment', LOST_ASSET)}, lost.amount),
     (${systemAccount('receivable', 'chain.environment', LOST_ASSET)}, -lost.amount)) as leg (account_id, amount)`;

const WITHDRAWAL_KINDS = ['withdrawal', 'withdrawal_paid', 'withdrawal_refund'] as const;
const KINDS = [
  ...DEPOSIT_ENTRY_KINDS,
  ...REFUND_ENTRY_KINDS,
  ...WITHDRAWAL_KINDS,
  'network_fee',
  'loss',
  'top_up',
  'shortage',
] as const satisfies readonly EntryKind[];

/** Entries against the facts behind them. Together these checks explain every posting. */
export const BOOKING_CHECKS: readonly Check[] = [
  statementCheck(
    'kinds_are_known',
    'Every entry has a known kind.',
    `select 'entry ' || id as row, format('is of the kind %s', kind) as says from entry
      where kind not in ${textList(KINDS)} order by id`,
  ),
  ...DEPOSIT_BOOKING_CHECKS,
  REFUNDS_ARE_BOOKED,
  bookedExactly(
    'withdrawals_are_booked',
    'Amount and fee of a withdrawal are held when it is ordered, booked out when it is paid, and refunded when it fails.',
    WITHDRAWAL_KINDS,
    WITHDRAWAL_LEGS,
  ),
  bookedExactly(
    'gas_is_booked',
    'The gas of every mined transaction is booked with its amount, and no other gas is.',
    ['network_fee'],
    GAS_LEGS,
  ),
  bookedExactly(
    'losses_are_booked',
    'A payment of a hot wallet without an order is booked as a receivable, once staff have adopted it and it is final.',
    ['loss'],
    LOSS_LEGS,
  ),
];
