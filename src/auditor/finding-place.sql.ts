import { Account } from '../ledger/account.entity.js';
import { Pocket } from '../ledger/pocket.entity.js';
import { Posting } from '../ledger/posting.entity.js';
import { Chain } from '../offers/chain.entity.js';
import { PoolAddress } from '../payments/addresses/pool-address.entity.js';
import { Deposit } from '../payments/deposits/deposit.entity.js';
import { PaymentIntent } from '../payments/intents/payment-intent.entity.js';
import type { Row } from '../platform/sql/row.js';
import { sql, type SqlText, type Statement } from '../platform/sql/sql.js';
import { out, table } from '../platform/sql/table.js';
import { Refund } from '../suspense/refunds/refund.entity.js';
import { Sweep } from '../treasury/sweeps/sweep.entity.js';
import { ChainTransaction } from '../treasury/transactions/chain-transaction.entity.js';
import { Discrepancy } from '../treasury/wallets/discrepancy.entity.js';
import { TopUp } from '../treasury/wallets/top-up.entity.js';
import { Withdrawal } from '../withdrawals/withdrawal.entity.js';

type FindEnvironment = (id: string) => Statement<Row<Chain, 'environment'>>;

const account = table(Account);
const posting = table(Posting);
const address = table(PoolAddress);
const pocket = table(Pocket);
const intent = table(PaymentIntent);
const withdrawal = table(Withdrawal);
const refund = table(Refund);
const deposit = table(Deposit);
const chain = table(Chain);

function byChain(of: SqlText & { readonly id: SqlText; readonly chainRef: SqlText }): FindEnvironment {
  return (id) => sql`
    select ${out(chain, 'environment')} from ${of} join ${chain} on ${chain.id} = ${of.chainRef} where ${of.id} = ${id}`;
}

/** Finds the environment of a chain, for rows whose id is their chain. */
const ofChain: FindEnvironment = (id) =>
  sql`select ${out(chain, 'environment')} from ${chain} where ${chain.id} = ${id}`;

/** Finds the environment of the row with an id, by the name of its table; of an entry there may be several. */
export const ENVIRONMENTS: Readonly<Record<string, FindEnvironment>> = {
  account: (id) => sql`select ${out(account, 'environment')} from ${account} where ${account.id}::text = ${id}`,
  entry: (id) => sql`select distinct ${out(posting, 'environment')} from ${posting} where ${posting.entryId} = ${id}`,
  posting: (id) => sql`select ${out(posting, 'environment')} from ${posting} where ${posting.id}::text = ${id}`,
  pool_address: (id) => sql`select ${out(address, 'environment')} from ${address} where ${address.id}::text = ${id}`,
  pocket: (id) => sql`select ${out(pocket, 'environment')} from ${pocket} where ${pocket.id} = ${id}`,
  payment_intent: (id) => sql`select ${out(intent, 'environment')} from ${intent} where ${intent.id} = ${id}`,
  withdrawal: (id) => sql`select ${out(withdrawal, 'environment')} from ${withdrawal} where ${withdrawal.id} = ${id}`,
  deposit: byChain(deposit),
  sweep: byChain(table(Sweep)),
  top_up: byChain(table(TopUp)),
  shortage: byChain(table(Discrepancy)),
  chain_transaction: byChain(table(ChainTransaction)),
  transaction_attempt: byChain(table(ChainTransaction)),
  deposit_return: (id) => sql`
    select ${out(chain, 'environment')} from ${refund} join ${deposit} on ${deposit.id} = ${refund.depositId}
      join ${chain} on ${chain.id} = ${deposit.chainRef} where ${refund.id} = ${id}`,
  hot_wallet: ofChain,
  stocktaking: ofChain,
  deposit_balance: ofChain,
};
