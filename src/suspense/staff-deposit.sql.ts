import { Merchant } from '../auth/merchant.entity.js';
import type { Environment } from '../domain/network.js';
import { ChainToken } from '../offers/chain-token.entity.js';
import { Chain } from '../offers/chain.entity.js';
import { PoolAddress } from '../payments/addresses/pool-address.entity.js';
import { Deposit } from '../payments/deposits/deposit.entity.js';
import { PaymentIntent } from '../payments/intents/payment-intent.entity.js';
import { as } from '../platform/sql/as.js';
import { sql } from '../platform/sql/sql.js';
import { out, table } from '../platform/sql/table.js';
import { SanctionedAddress } from '../sanctions/sanctioned-address.entity.js';

const deposit = table(Deposit);
const chain = table(Chain);
const token = table(ChainToken, 'token');
const address = table(PoolAddress, 'address');
const intent = table(PaymentIntent, 'intent');
const merchant = table(Merchant);
const listed = table(SanctionedAddress, 'listed');

/** Finds a deposit of an environment with everything that staff see of it. */
export const findStaffDeposit = (environment: Environment, id: string) => sql`
  select ${out(
    deposit,
    'id',
    'chainRef',
    'tokenContract',
    'amount',
    'status',
    'heldAs',
    'fromAddress',
    'txHash',
    'blockHeight',
    'unattributedReason',
    'late',
    'seenAt',
    'bookedAt',
    'reversedAt',
    'restoredAt',
    'goneAt',
  )}, ${deposit.intentId} is not null ${as.boolean('paysIntent')}, ${out(chain, 'environment', 'network')},
         ${token.symbol.asOrNull('symbol')}, ${token.decimals.asOrNull('decimals')}, ${out(address, 'address')},
         ${intent.id.asOrNull('intentId')}, ${intent.network.asOrNull('intentNetwork')},
         ${intent.token.asOrNull('intentToken')}, ${merchant.id.asOrNull('merchantId')},
         ${merchant.name.asOrNull('merchantName')}, ${listed.name.asOrNull('listedName')}
    from ${deposit} join ${chain} on ${chain.id} = ${deposit.chainRef}
    join ${address} on ${address.id} = ${deposit.addressId}
    left join ${intent} on ${intent.id} = coalesce(${deposit.intentId}, ${address.intentId})
    left join ${merchant} on ${merchant.id} = ${intent.merchantId}
    left join ${token} on ${token.chainRef} = ${deposit.chainRef} and ${token.contract} = ${deposit.tokenContract}
    left join ${listed} on ${listed.id} = ${deposit.listedSenderId}
   where ${deposit.id} = ${id} and ${chain.environment} = ${environment}`;
