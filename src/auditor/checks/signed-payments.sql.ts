import { ChainToken } from '../../offers/chain-token.entity.js';
import { Chain } from '../../offers/chain.entity.js';
import { PoolAddress } from '../../payments/addresses/pool-address.entity.js';
import { Deposit } from '../../payments/deposits/deposit.entity.js';
import { AuditEntry } from '../../platform/audit-entry.entity.js';
import { as } from '../../platform/sql/as.js';
import { json, type ValueOf } from '../../platform/sql/json.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { type RowOf, sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { Refund } from '../../suspense/refunds/refund.entity.js';
import { StakeOrder } from '../../treasury/stakes/stake-order.entity.js';
import { EnergyLoan } from '../../treasury/sweeps/energy/energy-loan.entity.js';
import { EnergyReturn } from '../../treasury/sweeps/energy/energy-return.entity.js';
import { Funding } from '../../treasury/sweeps/funding/funding.entity.js';
import { SweptAccount } from '../../treasury/sweeps/expiring/swept-account.entity.js';
import { SweepContract } from '../../treasury/sweeps/sweep-contract.entity.js';
import { SweepItem } from '../../treasury/sweeps/sweep-item.entity.js';
import { Sweep } from '../../treasury/sweeps/sweep.entity.js';
import { ChainTransaction } from '../../treasury/transactions/chain-transaction.entity.js';
import { TransactionAttempt } from '../../treasury/transactions/transaction-attempt.entity.js';
import { HotWallet } from '../../treasury/wallets/hot-wallet.entity.js';
import { Withdrawal } from '../../withdrawals/withdrawal.entity.js';

const attempt = table(TransactionAttempt, 'attempt');
const sent = table(ChainTransaction, 'sent');
const chain = table(Chain);
const withdrawal = table(Withdrawal);
const refund = table(Refund);
const deposit = table(Deposit);
const sweep = table(Sweep);
const item = table(SweepItem, 'item');
const emptied = table(SweptAccount);
const address = table(PoolAddress, 'address');
const contract = table(SweepContract, 'contract');
const audit = table(AuditEntry);
const token = table(ChainToken);
const funding = table(Funding);
const loan = table(EnergyLoan);
const giving = table(EnergyReturn);
const staking = table(StakeOrder);
const wallet = table(HotWallet);

/** The order of a payment as JSON; null unless the transaction has its chain, token and amount. */
function payment() {
  const ordered = subselect(
    'ordered',
    sql`select ${out(withdrawal, 'chainRef', 'tokenContract', 'amount', 'destinationKey')} from ${withdrawal}
         where ${sent.purpose} = 'withdrawal' and ${withdrawal.id} = ${sent.purposeId}
         union all
        select ${deposit.chainRef}, ${deposit.tokenContract}, ${deposit.amount}, ${refund.destinationKey}
          from ${refund} join ${deposit} on ${deposit.id} = ${refund.depositId}
         where ${sent.purpose} = 'deposit_return' and ${refund.id} = ${sent.purposeId}
         union all
        select ${funding.chainRef}, 'native', ${funding.amount}, ${address.addressKey}
          from ${funding} join ${address} on ${address.id} = ${funding.addressId}
         where ${sent.purpose} = 'funding' and ${funding.id} = ${sent.purposeId}`,
  );
  const order = json.object({
    token: json.text(ordered.tokenContract),
    amount: json.text(ordered.amount),
    recipient: json.text(ordered.destinationKey),
  });
  return sql`
    select ${order} ${as.jsonOf(order)('order')}
      from ${define(ordered)}
     where (${ordered.chainRef}, ${ordered.tokenContract}, ${ordered.amount})
         = (${sent.chainRef}, ${sent.tokenContract}, ${sent.amount})`;
}

const sweptItem = json.object({
  deposit: json.text(address.addressKey),
  token: json.text(item.tokenContract),
  // Null of an item that empties the associated account.
  account: json.text(emptied.account),
  nonce: json.number(item.authorizationNonce),
  amount: json.text(item.expected),
  decimals: json.number(sql`
    (select ${token.decimals} from ${token}
      where ${token.chainRef} = ${item.chainRef} and ${token.contract} = ${item.tokenContract})`),
  // Null of an item of a sweep that calls contracts.
  opens: json.booleanOrNull(sql`coalesce(${emptied.opensAccount}, ${item.opensAccount})`),
  closes: json.booleanOrNull(sql`coalesce(${emptied.closesAccount}, ${item.closesAccount})`),
});

function sweptItems() {
  const listed = json.list(sweptItem, item.position);
  const items = subselect(
    'items',
    sql`select coalesce(${listed}, '[]') ${as.jsonOf(listed)('list')}
          from ${item} join ${address} on ${address.id} = ${item.addressId}
          left join ${emptied} on ${emptied.sweepId} = ${item.sweepId} and ${emptied.position} = ${item.position}
         where ${item.sweepId} = ${sweep.id}`,
  );
  const order = json.object({
    batch: json.text(sweep.batch),
    delegate: json.text(sweep.delegate),
    items: items.list,
  });
  return sql`
    select ${order} ${as.jsonOf(order)('order')}
      from ${sweep}
      left join lateral ${define(items)} on true
     where ${sent.purpose} = 'sweep' and ${sweep.id} = ${sent.purposeId} and ${sweep.chainRef} = ${sent.chainRef}`;
}

const lending = json.object({
  move: json.constant('lend'),
  stake: json.text(loan.stake),
  borrower: json.text(address.addressKey),
});
const takingBack = json.object({
  move: json.constant('take_back'),
  stake: json.text(giving.stake),
  borrower: json.text(address.addressKey),
});

/** A loan or its return as JSON. */
const energy = sql`
  select ${lending}
    from ${loan} join ${address} on ${address.id} = ${loan.addressId}
   where ${sent.purpose} = 'energy_loan' and ${loan.id} = ${sent.purposeId} and ${loan.chainRef} = ${sent.chainRef}
   union all
  select ${takingBack}
    from ${giving} join ${address} on ${address.id} = ${giving.addressId}
   where ${sent.purpose} = 'energy_return' and ${giving.id} = ${sent.purposeId} and ${giving.chainRef} = ${sent.chainRef}`;

const stakeMove = json.object({ move: json.text(staking.move), amount: json.text(staking.amount) });
const stake = sql`
  select ${stakeMove} from ${staking}
   where ${sent.purpose} = 'stake' and ${staking.id} = ${sent.purposeId} and ${staking.chainRef} = ${sent.chainRef}`;

const deployed = json.object({ address: json.text(contract.address) });
const deployment = sql`
  select ${deployed} from ${contract}
   where ${sent.purpose} = 'contract' and ${contract.id} = ${sent.purposeId} and ${contract.chainRef} = ${sent.chainRef}`;

const lost = json.object({ token: json.text(sent.tokenContract), amount: json.text(sent.amount) });
const adoptedLoss = sql`
  select ${lost}
   where ${sent.purpose} = 'loss'
     and exists (select from ${audit}
                  where ${audit.subject} = ${sent.purposeId} and ${audit.action} = 'transaction.adopt'
                    and ${audit.details} ->> 'hash' = ${attempt.txHash})`;

/** Reads the next page of signed versions above a transaction's id and a number, each with its order. */
export const nextAttempts = ([id, number]: readonly [id: string, number: number], limit: number) => sql`
  select ${out(attempt, 'transactionId', 'number', 'txHash', 'rawTransaction')}, ${out(chain, 'chainId', 'family')},
         ${out(sent, 'sender', 'nonce')}, ${wallet.addressKey.as('hotWallet')},
         (${payment()}) ${as.json<RowOf<typeof payment>['order'] | null>()('payment')},
         (${sweptItems()}) ${as.json<RowOf<typeof sweptItems>['order'] | null>()('sweep')},
         (${energy}) ${as.json<ValueOf<typeof lending> | ValueOf<typeof takingBack> | null>()('energy')},
         (${stake}) ${as.jsonOfOrNull(stakeMove)('stake')},
         (${deployment}) ${as.jsonOfOrNull(deployed)('contract')},
         (${adoptedLoss}) ${as.jsonOfOrNull(lost)('loss')}
    from ${attempt}
    join ${sent} on ${sent.id} = ${attempt.transactionId}
    join ${chain} on ${chain.id} = ${sent.chainRef}
    join ${wallet} on ${wallet.chainRef} = ${sent.chainRef}
   where (${attempt.transactionId}, ${attempt.number}) > (${id}, ${number}) and ${sent.id} >= ${id}
   order by ${attempt.transactionId}, ${attempt.number} limit ${limit}`;
