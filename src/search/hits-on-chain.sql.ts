import type { AddressFamily } from '../domain/network.js';
import { Merchant } from '../auth/merchant.entity.js';
import type { Environment } from '../domain/network.js';
import { Chain } from '../offers/chain.entity.js';
import { PoolAddress } from '../payments/addresses/pool-address.entity.js';
import { Deposit } from '../payments/deposits/deposit.entity.js';
import { PaymentIntent } from '../payments/intents/payment-intent.entity.js';
import { given, unnest } from '../platform/sql/given.js';
import { define, subselect } from '../platform/sql/relation.js';
import { sql } from '../platform/sql/sql.js';
import { every, table } from '../platform/sql/table.js';
import { ChainTransaction } from '../treasury/transactions/chain-transaction.entity.js';
import { TransactionAttempt } from '../treasury/transactions/transaction-attempt.entity.js';
import { Withdrawal } from '../withdrawals/withdrawal.entity.js';
import { hits } from './hit-columns.sql.js';
import { depositColumns, intentColumns, withdrawalColumns } from './hits-by-id.sql.js';

const intent = table(PaymentIntent, 'intent');
const address = table(PoolAddress, 'address');
const chain = table(Chain);
const deposit = table(Deposit);
const attempt = table(TransactionAttempt, 'attempt');
const sent = table(ChainTransaction, 'sent');
const withdrawal = table(Withdrawal);
const merchant = table(Merchant);

const wanted = given('wanted', { environment: 'text', destinationKey: 'text' });

/** The most withdrawals to one address that are found for a merchant in an environment, the newest. */
const PAID_TO_MAX = 3;

/** Finds the intents of addresses, by the keys of the addresses. */
export const intentsByAddress = (family: AddressFamily, keys: readonly string[]) =>
  hits(
    'payment_intent',
    'address',
    { ...intentColumns, key: address.addressKey },
    sql`${address} join ${intent} on ${intent.id} = ${address.intentId}
        where ${address.addressKey} = any(${keys}) and ${address.family} = ${family}`,
  );

/**
 * Finds withdrawals by the keys of their destinations. The index of destinations begins with the merchant and has the newest
 * last, so that of many withdrawals to one address only those are read that are found.
 */
export function withdrawalsByAddress(environments: readonly Environment[], keys: readonly string[]) {
  const searched = environments.flatMap((environment) => keys.map((key) => ({ environment, destinationKey: key })));
  const newest = sql`
    select ${every(withdrawal)} from ${withdrawal}
     where ${withdrawal.merchantId} = ${merchant.id} and ${withdrawal.environment} = ${wanted.environment}
       and ${withdrawal.destinationKey} = ${wanted.destinationKey}
     order by ${withdrawal.createdAt} desc limit ${PAID_TO_MAX}`;
  // Under the name of the table, so that its columns are those of the subselect.
  const paid = subselect('paid', newest);
  return hits(
    'withdrawal',
    'address',
    {
      id: paid.id,
      environment: paid.environment,
      merchantId: paid.merchantId,
      createdAt: paid.createdAt,
      state: paid.status,
      network: paid.network,
      token: paid.token,
      amount: sql`${paid.amount}::text`,
      decimals: paid.tokenDecimals,
      key: paid.destinationKey,
    },
    sql`${merchant} cross join ${unnest(wanted, searched)} cross join lateral ${define(paid)}`,
  );
}

/** The deposits of transactions: their index begins with the chain, so every chain of the family is searched. */
const depositsOf = (family: AddressFamily, keys: readonly string[]) => sql`
  ${chain} join ${deposit} on ${deposit.chainRef} = ${chain.id} and ${deposit.txHash} = any(${keys})
           join ${address} on ${address.id} = ${deposit.addressId}
           left join ${intent} on ${intent.id} = coalesce(${deposit.intentId}, ${address.intentId})
     where ${chain.family} = ${family}`;

/** Finds the intents that transactions paid, or whose address they reached with something else. */
export const intentsByTransaction = (family: AddressFamily, keys: readonly string[]) =>
  hits(
    'payment_intent',
    'transaction_hash',
    { ...intentColumns, key: deposit.txHash, relatedId: deposit.id },
    sql`${depositsOf(family, keys)} and ${intent.id} is not null`,
  );

/** Finds the deposits of transactions that reached an address of no intent. */
export const depositsByTransaction = (family: AddressFamily, keys: readonly string[]) =>
  hits(
    'deposit',
    'transaction_hash',
    { ...depositColumns, key: deposit.txHash },
    sql`${depositsOf(family, keys)} and ${intent.id} is null`,
  );

/** Finds the withdrawals that were signed as these transactions. */
export const withdrawalsByTransaction = (keys: readonly string[]) =>
  hits(
    'withdrawal',
    'transaction_hash',
    { ...withdrawalColumns, key: attempt.txHash },
    sql`${attempt} join ${sent} on ${sent.id} = ${attempt.transactionId} and ${sent.purpose} = 'withdrawal'
        join ${withdrawal} on ${withdrawal.id} = ${sent.purposeId} where ${attempt.txHash} = any(${keys})`,
  );
