import { Chain } from '../offers/chain.entity.js';
import { ChainToken } from '../offers/chain-token.entity.js';
import { PoolAddress } from '../payments/addresses/pool-address.entity.js';
import { OtherAccount } from '../payments/listener/accounts/other-account.entity.js';
import { Deposit } from '../payments/deposits/deposit.entity.js';
import { isReleasedBeforeReversal } from '../payments/deposits/deposit-release.sql.js';
import { as } from '../platform/sql/as.js';
import { sql } from '../platform/sql/sql.js';
import { every, out, table } from '../platform/sql/table.js';

const deposit = table(Deposit);
const address = table(PoolAddress, 'address');
const chain = table(Chain);
const token = table(ChainToken, 'token');
const other = table(OtherAccount, 'other');

/** Finds the transfers to the address of an intent, in any token: those of the intent first, and the largest first. */
export const findTransfers = (intentId: string, limit: number) => sql`
  select ${every(deposit)}, ${isReleasedBeforeReversal} ${as.booleanOrNull('wasReleasedBeforeReversal')},
         ${out(chain, 'network')}, ${token.symbol.asOrNull('symbol')}, ${token.decimals.asOrNull('decimals')}
    from ${address}
    join ${deposit} on ${deposit.addressId} = ${address.id}
    join ${chain} on ${chain.id} = ${deposit.chainRef}
    left join ${token} on ${token.chainRef} = ${deposit.chainRef} and ${token.contract} = ${deposit.tokenContract}
   where ${address.intentId} = ${intentId}
   order by ${deposit.intentId} is null, ${deposit.amount} desc limit ${limit}`;

/** Finds the accounts of an intent's address that hold funds which cannot be credited, as far as that is decided. */
export const findElsewhere = (intentId: string) => sql`
  select ${out(other, 'account', 'units')}, ${other.obstacle.asNotNull('obstacle')}, ${other.tokenContract.as('contract')}, ${token.symbol.asOrNull('symbol')},
         ${token.decimals.asOrNull('decimals')}
    from ${address}
    join ${other} on ${other.addressId} = ${address.id}
    left join ${token} on ${token.chainRef} = ${other.chainRef} and ${token.contract} = ${other.tokenContract}
   where ${address.intentId} = ${intentId} and ${other.obstacle} is not null
   order by ${other.account} limit 10`;
