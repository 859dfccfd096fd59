import type { AddressFamily } from '../../domain/network.js';
import { Chain } from '../../offers/chain.entity.js';
import { as } from '../../platform/sql/as.js';
import { given, unnest } from '../../platform/sql/given.js';
import { sql, type SqlText } from '../../platform/sql/sql.js';
import { columns, out, set, table } from '../../platform/sql/table.js';
import { Funding } from '../../treasury/sweeps/funding/funding.entity.js';
import { SeenFunding } from '../../treasury/sweeps/funding/seen-funding.entity.js';
import { SweepItem } from '../../treasury/sweeps/sweep-item.entity.js';
import { ChainTransaction } from '../../treasury/transactions/chain-transaction.entity.js';
import { TransactionAttempt } from '../../treasury/transactions/transaction-attempt.entity.js';
import { HotWallet } from '../../treasury/wallets/hot-wallet.entity.js';
import { PoolAddress } from '../addresses/pool-address.entity.js';
import type { DepositRow } from './deposit-writer.sql.js';

const chain = table(Chain);
const wallet = table(HotWallet);
const address = table(PoolAddress);
const funding = table(Funding);
const sent = table(ChainTransaction, 'sent');
const attempt = table(TransactionAttempt);
const item = table(SweepItem);
const seen = table(SeenFunding);
const excluded = table(SeenFunding, 'excluded');
const read = given('read', { height: 'bigint', hash: 'text' });
const transfer = given('transfer', {
  txHash: 'text',
  to: 'text',
  amount: 'numeric',
  blockHeight: 'bigint',
  blockHash: 'text',
});

/** Finds the hot wallet of a chain if it is of one of these families. */
export const findFundingWallet = (chainRef: string, families: readonly AddressFamily[]) => sql`
  select ${out(wallet, 'addressKey')} from ${wallet} join ${chain} on ${chain.id} = ${wallet.chainRef}
   where ${wallet.chainRef} = ${chainRef} and ${chain.family} = any(${families})`;

/** Finds which of these transfers are recorded as withdrawals or refunds. */
export const findPayments = (chainRef: string, transfers: readonly DepositRow[]) => sql`
  select ${out(attempt, 'txHash')} from ${attempt} join ${sent} on ${sent.id} = ${attempt.transactionId}
   where ${attempt.soleOn} = ${chainRef} and ${attempt.txHash} in (select ${transfer.txHash} from ${unnest(transfer, transfers)})
     and ${sent.purpose} in ('withdrawal', 'deposit_return')`;

/** Stores fundings as their blocks show them; one that a fork moved to another block gets that block. */
export const storeSeenFundings = (chainRef: string, transfers: readonly DepositRow[]) => sql`
  insert into ${seen} ${columns(seen, 'chainRef', 'txHash', 'addressId', 'amount', 'blockHeight', 'blockHash')}
  select ${chainRef}, ${transfer.txHash}, ${address.id}, ${transfer.amount}, ${transfer.blockHeight}, ${transfer.blockHash}
    from ${unnest(transfer, transfers)} join ${address} on ${address.addressKey} = ${transfer.to}
  on conflict ${columns(seen, 'chainRef', 'txHash')} do update
    set ${set(seen, { blockHeight: excluded.blockHeight, blockHash: excluded.blockHash })}`;

/** Deletes the fundings in blocks that a fork removed. */
export const deleteSeenFundingsAbove = (chainRef: string, height: number) => sql`
  delete from ${seen} where ${seen.chainRef} = ${chainRef} and ${seen.blockHeight} > ${height}`;

/** Deletes the fundings whose block was replaced by one of these, if the condition holds. */
export const deleteReplacedFundings = (
  chainRef: string,
  blocks: readonly { readonly height: number; readonly hash: string }[],
  condition: SqlText = sql`true`,
) => sql`
  delete from ${seen} using ${unnest(read, blocks)}
   where ${seen.chainRef} = ${chainRef} and ${seen.blockHeight} = ${read.height} and ${seen.blockHash} <> ${read.hash}
     and ${condition}`;

/**
 * Sums what the hot wallet sent to an address (`address`) up to the block of this height: as blocks show it, and as it is
 * recorded where they were read while the coin was not on offer.
 */
export const fundedOn = (chainRef: string, height: number) => sql`
  select coalesce((select sum(${seen.amount}) from ${seen}
                    where ${seen.addressId} = ${address.id} and ${seen.chainRef} = ${chainRef}
                      and ${seen.blockHeight} <= ${height}), 0)
         + coalesce((select sum(${funding.arrived}) from ${funding}
                      where ${funding.addressId} = ${address.id} and ${funding.chainRef} = ${chainRef}
                        and ${funding.arrived} > 0 and ${funding.arrivedHeight} <= ${height}
                        and not exists (select from ${sent} join ${seen} on ${seen.chainRef} = ${sent.chainRef}
                                                                        and ${seen.txHash} = ${sent.minedHash}
                                         where ${sent.purpose} = 'funding' and ${sent.purposeId} = ${funding.id}
                                           and ${sent.status} = 'succeeded')), 0) ${as.digits('units')}`;

/** Sums what sweeps burned at an address (`address`) up to the block of this height, and whether one is under way. */
export const burnedOn = (chainRef: string, height: number) => sql`
  select coalesce(sum(${item.burned}) filter (where ${item.burnedHeight} <= ${height}), 0) ${as.digits('units')},
         coalesce(bool_or(${item.swept} is null), false) ${as.boolean('isUnderWay')}
    from ${item}
   where ${item.addressId} = ${address.id} and ${item.chainRef} = ${chainRef} and ${item.costMax} is not null
     and (${item.swept} is null or ${item.burned} > 0)`;
