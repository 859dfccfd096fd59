import type { SentPayment, SentStake } from '../../chains/expiring-sent.js';
import { given, unnest } from '../../platform/sql/given.js';
import { sql, type SqlText } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { PoolAddress } from '../../payments/addresses/pool-address.entity.js';
import { StakeOrder } from '../../treasury/stakes/stake-order.entity.js';
import { SweepItem } from '../../treasury/sweeps/sweep-item.entity.js';
import { ChainTransaction } from '../../treasury/transactions/chain-transaction.entity.js';
import { TransactionAttempt } from '../../treasury/transactions/transaction-attempt.entity.js';

const transaction = table(ChainTransaction);
const attempt = table(TransactionAttempt);
const item = table(SweepItem);
const stake = table(StakeOrder);
const address = table(PoolAddress, 'address');
const balance = given('balance', { owner: 'text', token: 'text' });

/** Selects transactions that are signed and not final. */
const signed = (which: SqlText) => sql`
  select ${out(transaction, 'id', 'chainRef', 'purpose', 'purposeId', 'sender')}, ${out(attempt, 'txHash')},
         ${transaction.validAfterHeight.asNotNull('afterHeight')}, ${transaction.validAfterHash.asNotNull('afterHash')},
         ${transaction.validUntil.asNotNull('until')}
    from ${transaction} join ${attempt} on ${attempt.transactionId} = ${transaction.id}
   where ${transaction.status} = 'signed' and ${transaction.validUntil} is not null and ${which}
   order by ${transaction.nonce}`;

/** Finds the transactions that are signed for exactly this payment, and not final. */
export const signedPayments = (chainRef: string, { token, recipient, amount }: SentPayment) =>
  signed(sql`
    ${transaction.chainRef} = ${chainRef} and ${transaction.purpose} in ('withdrawal', 'deposit_return')
    and ${transaction.tokenContract} = ${token} and ${transaction.destination} = ${recipient}
    and ${transaction.amount} = ${amount}`);

/**
 * Finds the transactions that are signed for sweeps of any of these balances, and not final. Where an address pays for its own
 * sweeps, it pays for one at a time: those of its other tokens are among them.
 * @param payer key of the address that paid for the sweep of these balances
 */
export const signedSweeps = (
  chainRef: string,
  balances: readonly { readonly owner: string; readonly token: string }[],
  payer: string,
) =>
  signed(sql`
    ${transaction.chainRef} = ${chainRef} and ${transaction.purpose} = 'sweep'
    and ${transaction.purposeId} in (
          select ${item.sweepId} from ${item} join ${address} on ${address.id} = ${item.addressId}
           where ${item.chainRef} = ${chainRef} and ${item.swept} is null
             and (${item.costMax} is not null and ${address.addressKey} = ${payer}
                  or (${address.addressKey}, ${item.tokenContract}) in (
                       select ${balance.owner}, ${balance.token} from ${unnest(balance, balances)})))`);

/** Finds the transactions that are signed for exactly this change of the hot wallet's stake, and not final. */
export const signedStakes = (chainRef: string, { move, amount }: Pick<SentStake, 'move' | 'amount'>) =>
  signed(sql`
    ${transaction.chainRef} = ${chainRef} and ${transaction.purpose} = 'stake'
    and ${transaction.purposeId} in (
          select ${stake.id} from ${stake}
           where ${stake.chainRef} = ${chainRef} and ${stake.move} = ${move} and ${stake.amount} = ${amount}
             and ${stake.finishedAt} is null)`);

/** Finds the transaction that is signed for an order to stake, and not final. */
export const signedForStake = (id: string) =>
  signed(sql`${transaction.purpose} = 'stake' and ${transaction.purposeId} = ${id}`);
