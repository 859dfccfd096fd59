import { given, unnest } from '../../platform/sql/given.js';
import { sql, type SqlText } from '../../platform/sql/sql.js';
import { columns, out, set, table } from '../../platform/sql/table.js';
import { PoolAddress } from '../addresses/pool-address.entity.js';
import { Deposit } from '../deposits/deposit.entity.js';
import { PaymentIntent } from '../intents/payment-intent.entity.js';

const deposit = table(Deposit);
const excluded = table(Deposit, 'excluded');
const address = table(PoolAddress);
const intent = table(PaymentIntent);
const seen = given('seen', {
  id: 'text',
  tokenContract: 'text',
  txHash: 'text',
  position: 'int',
  from: 'text',
  to: 'text',
  account: 'text',
  otherSenders: 'text',
  amount: 'numeric',
  blockHeight: 'bigint',
  blockHash: 'text',
  blockTime: 'timestamptz',
});

/** A deposit to be stored; one without transaction and sender is a remainder. */
export interface DepositRow {
  readonly id: string;
  readonly tokenContract: string;
  readonly txHash: string | null;
  readonly position: number;
  readonly from: string | null;
  readonly to: string;
  /** The account of the address that received it, on networks that are read by accounts. */
  readonly account: string | null;
  /** Further senders, separated by a comma; null where there is no other. */
  readonly otherSenders: string | null;
  /** Smallest units. */
  readonly amount: string;
  readonly blockHeight: number;
  readonly blockHash: string;
  readonly blockTime: Date;
}

/** How a stored deposit is found again, and the amount that it has then. */
interface Identity {
  readonly key: SqlText;
  readonly amount: SqlText;
}

/** A transaction that a reorg moved to another block keeps its row: its key is (chain, transaction, position). */
const ofTransfer: Identity = { key: columns(deposit, 'chainRef', 'txHash', 'position'), amount: excluded.amount };

/** A remainder belongs to its block, and more that is found there is added to it. */
const ofRemainder: Identity = {
  key: sql`${columns(deposit, 'chainRef', 'addressId', 'blockHash')} where ${columns(deposit, 'txHash')} is null`,
  amount: sql`${excluded.amount} + case when ${deposit.status} = 'seen' then ${deposit.amount} else 0 end`,
};

/** Stores transfers, attributes them, and returns those that are not final. */
export const storeTransfers = (chainRef: string, rows: readonly DepositRow[]) => storing(chainRef, rows, ofTransfer);

/** Stores remainders, attributes them, and returns those that are not final. */
export const storeRemainders = (chainRef: string, rows: readonly DepositRow[]) => storing(chainRef, rows, ofRemainder);

/** A final row is left alone, so reading a block again is harmless. */
const storing = (chainRef: string, rows: readonly DepositRow[], { key, amount }: Identity) => sql`
  insert into ${deposit} ${columns(
    deposit,
    'id',
    'chainRef',
    'tokenContract',
    'txHash',
    'position',
    'fromAddress',
    'toAddress',
    'account',
    'otherSenders',
    'amount',
    'blockHeight',
    'blockHash',
    'blockTime',
    'status',
    'addressId',
    'intentId',
    'merchantId',
    'unattributedReason',
  )}
  select ${seen.id}, ${chainRef}, ${seen.tokenContract}, ${seen.txHash}, ${seen.position}, ${seen.from}, ${seen.to},
         ${seen.account}, string_to_array(${seen.otherSenders}, ','), ${seen.amount}, ${seen.blockHeight}, ${seen.blockHash}, ${seen.blockTime}, 'seen', ${address.id},
         case when ${intent.chainRef} = ${chainRef} and ${intent.tokenContract} = ${seen.tokenContract} then ${intent.id} end,
         case when ${intent.chainRef} = ${chainRef} and ${intent.tokenContract} = ${seen.tokenContract} then ${intent.merchantId} end,
         case when ${intent.id} is null then 'address_not_assigned'
              when ${intent.chainRef} <> ${chainRef} then 'other_network'
              when ${intent.tokenContract} <> ${seen.tokenContract} then 'other_token' end
    from ${unnest(seen, rows)}
    join ${address} on ${address.addressKey} = ${seen.to}
    left join ${intent} on ${intent.id} = ${address.intentId}
  on conflict ${key} do update
    set ${set(deposit, {
      status: 'seen',
      tokenContract: excluded.tokenContract,
      fromAddress: excluded.fromAddress,
      toAddress: excluded.toAddress,
      account: excluded.account,
      otherSenders: excluded.otherSenders,
      amount,
      addressId: excluded.addressId,
      intentId: excluded.intentId,
      merchantId: excluded.merchantId,
      unattributedReason: excluded.unattributedReason,
      blockHeight: excluded.blockHeight,
      blockHash: excluded.blockHash,
      blockTime: excluded.blockTime,
    })}
    where ${deposit.status} <> 'confirmed'
  returning ${out(deposit, 'intentId', 'addressId', 'unattributedReason')}`;

/** Locks free addresses against their assignment. */
export const lockFreeAddresses = (keys: readonly string[]) => sql`
  select from ${address} where ${address.addressKey} = any(${keys}) and ${address.intentId} is null
   order by ${address.id} for no key update`;

/** Retires free addresses. */
export const retireAddresses = (ids: readonly string[]) => sql`
  update ${address} set ${set(address, { retiredAt: sql`now()` })}
   where ${address.id} = any(${ids}) and ${address.intentId} is null`;
