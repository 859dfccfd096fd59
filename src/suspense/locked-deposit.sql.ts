import { Chain } from '../offers/chain.entity.js';
import { ChainToken } from '../offers/chain-token.entity.js';
import { PoolAddress } from '../payments/addresses/pool-address.entity.js';
import { Deposit } from '../payments/deposits/deposit.entity.js';
import { PaymentIntent } from '../payments/intents/payment-intent.entity.js';
import { as } from '../platform/sql/as.js';
import { sql } from '../platform/sql/sql.js';
import { out, table } from '../platform/sql/table.js';

const deposit = table(Deposit);
const intent = table(PaymentIntent);
const owner = table(PaymentIntent, 'owner');
const chain = table(Chain);
const token = table(ChainToken, 'token');
const address = table(PoolAddress, 'address');

/** Locks the intent that a deposit pays. */
export const lockIntentOf = (depositId: string) => sql`
  select from ${intent} where ${intent.id} = (
    select ${deposit.intentId} from ${deposit} where ${deposit.id} = ${depositId}) for no key update`;

/** Finds the intent of a deposit of a listed sender. */
export const findIntentOnHold = (depositId: string) => sql`
  select ${deposit.intentId.asNotNull('id')} from ${deposit}
   where ${deposit.id} = ${depositId} and ${deposit.listedSenderId} is not null and ${deposit.intentId} is not null`;

/** Locks a deposit, and reads it with its token and the merchant of its address, null while that is not assigned. */
export const lockOneDeposit = (id: string) => sql`
  select ${out(deposit, 'id', 'chainRef', 'tokenContract', 'amount', 'status', 'heldAs', 'intentId')},
         ${out(chain, 'environment', 'network')}, ${out(token, 'symbol', 'decimals', 'minorUnitExponent')},
         ${deposit.bookedAt} is not null ${as.boolean('isBooked')}, ${deposit.goneAt} is not null ${as.boolean('isReorged')},
         ${deposit.reversedAt} is not null and ${deposit.restoredAt} is null ${as.boolean('isReversed')},
         ${deposit.restoredAt} is not null ${as.boolean('isRestored')}, ${owner.merchantId.asOrNull('ownerId')}
    from ${deposit} join ${chain} on ${chain.id} = ${deposit.chainRef}
    join ${token} on ${token.chainRef} = ${deposit.chainRef} and ${token.contract} = ${deposit.tokenContract}
    join ${address} on ${address.id} = ${deposit.addressId}
    left join ${owner} on ${owner.id} = ${address.intentId}
   where ${deposit.id} = ${id} for no key update of ${deposit}`;
