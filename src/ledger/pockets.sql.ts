import type { Environment } from '../domain/network.js';
import type { Asset } from '../domain/posting.js';
import { Merchant } from '../auth/merchant.entity.js';
import { given, unnest } from '../platform/sql/given.js';
import { sql } from '../platform/sql/sql.js';
import { columns, out, table } from '../platform/sql/table.js';
import { Account, type AccountKind } from './account.entity.js';
import { Pocket } from './pocket.entity.js';

const pocket = table(Pocket);
const account = table(Account);

/** A pocket's token: the contract identifies it. */
interface TokenKey {
  readonly environment: Environment;
  readonly network: string;
  readonly contract: string;
}

/** A pocket to be opened. */
export interface NewPocket extends TokenKey {
  readonly id: string;
  readonly merchantId: string;
  readonly asset: Asset;
  readonly symbol: string;
  readonly decimals: number;
  readonly minorUnitExponent: number;
}

/** A pocket that may be open. */
interface WantedPocket extends TokenKey {
  readonly merchantId: string;
  readonly asset: Asset;
}

const wanted = given('wanted', {
  merchantId: 'text',
  environment: 'text',
  network: 'text',
  contract: 'text',
  asset: 'text',
});
const owner = given('owner', { id: 'text' });
const token = given('token', { environment: 'text', network: 'text', contract: 'text' });
const each = given('each', { kind: 'text' });
const missing = given('missing', {
  id: 'text',
  merchantId: 'text',
  environment: 'text',
  network: 'text',
  asset: 'text',
  symbol: 'text',
  contract: 'text',
  decimals: 'int',
  minorUnitExponent: 'int',
});

/** Finds the available accounts of pockets by their place, counted from 1, and those of their assets on the chain that are open. */
export const findDepositAccounts = (pockets: readonly WantedPocket[]) => sql`
  select ${wanted.nth.as('nth')}, ${out(pocket, 'availableAccountId')}, ${account.id.asOrNull('chainAccountId')}
    from ${unnest(wanted, pockets)}
    join ${pocket} on ${pocket.merchantId} = ${wanted.merchantId} and ${pocket.environment} = ${wanted.environment}
     and ${pocket.network} = ${wanted.network} and ${pocket.tokenContract} = ${wanted.contract}
    left join ${account} on ${account.kind} = 'chain' and ${account.environment} = ${wanted.environment}
     and ${account.asset} = ${wanted.asset} and ${account.merchantId} is null`;

/** Reads the ids of merchants in their order. */
export function merchantsAfter(id: string, limit: number) {
  const merchant = table(Merchant);
  return sql`select ${out(merchant, 'id')} from ${merchant} where ${merchant.id} > ${id} order by ${merchant.id} limit ${limit}`;
}

/** Finds which of these merchants have no pocket of which of these tokens, by the place of the token, counted from 1. */
export function findMissingPockets(merchantIds: readonly string[], tokens: readonly TokenKey[]) {
  const owners = merchantIds.map((id) => ({ id }));
  return sql`
    select ${owner.id.as('merchantId')}, ${token.nth.as('nth')} from ${unnest(owner, owners)} cross join ${unnest(token, tokens)}
     where not exists (
       select from ${pocket}
        where ${pocket.merchantId} = ${owner.id} and ${pocket.environment} = ${token.environment}
          and ${pocket.network} = ${token.network} and ${pocket.tokenContract} = ${token.contract})
     order by ${owner.id}, ${token.nth}`;
}

/** Opens the accounts of pockets, unless they are open. */
export function openPocketAccounts(pockets: readonly NewPocket[]) {
  const kinds: readonly { readonly kind: AccountKind }[] = [{ kind: 'pocket_available' }, { kind: 'pocket_held' }];
  return sql`
    insert into ${account} ${columns(account, 'kind', 'environment', 'asset', 'merchantId', 'balance')}
    select ${each.kind}, ${missing.environment}, ${missing.asset}, ${missing.merchantId}, 0
      from ${unnest(missing, pockets)} cross join ${unnest(each, kinds)} order by ${missing.nth}, ${each.nth}
    on conflict do nothing`;
}

/** Opens pockets whose accounts are open, unless they are open. */
export function openPockets(pockets: readonly NewPocket[]) {
  const available = table(Account, 'available');
  const held = table(Account, 'held');
  return sql`
    insert into ${pocket} ${columns(
      pocket,
      'id',
      'merchantId',
      'environment',
      'network',
      'token',
      'tokenContract',
      'tokenDecimals',
      'minorUnitExponent',
      'availableAccountId',
      'heldAccountId',
    )}
    select ${missing.id}, ${missing.merchantId}, ${missing.environment}, ${missing.network}, ${missing.symbol},
           ${missing.contract}, ${missing.decimals}, ${missing.minorUnitExponent}, ${available.id}, ${held.id}
      from ${unnest(missing, pockets)}
      join ${available} on ${available.kind} = 'pocket_available' and ${available.environment} = ${missing.environment}
       and ${available.asset} = ${missing.asset} and ${available.merchantId} = ${missing.merchantId}
      join ${held} on ${held.kind} = 'pocket_held' and ${held.environment} = ${missing.environment}
       and ${held.asset} = ${missing.asset} and ${held.merchantId} = ${missing.merchantId}
    on conflict ${columns(pocket, 'merchantId', 'environment', 'network', 'tokenContract')} do nothing`;
}
