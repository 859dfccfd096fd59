import type { Environment } from '../domain/network.js';
import type { Asset } from '../domain/posting.js';
import { sql } from '../platform/sql/sql.js';
import { columns, out, table } from '../platform/sql/table.js';
import { Account, type SystemAccountKind } from './account.entity.js';

const account = table(Account);

/** What identifies an account of no merchant. */
export interface SystemAccountKey {
  readonly kind: SystemAccountKind;
  readonly environment: Environment;
  readonly asset: Asset;
}

/** Opens a system account with its first balance, unless it is open. */
export const openSystemAccount = (key: SystemAccountKey, balance: 0 | null) => sql`
  insert into ${account} ${columns(account, 'kind', 'environment', 'asset', 'balance')}
  values (${key.kind}, ${key.environment}, ${key.asset}, ${balance}::numeric)
  on conflict do nothing`;

/** Finds a system account. */
export const findSystemAccount = ({ kind, environment, asset }: SystemAccountKey) => sql`
  select ${out(account, 'id')} from ${account}
   where ${account.kind} = ${kind} and ${account.environment} = ${environment} and ${account.asset} = ${asset}
     and ${account.merchantId} is null`;
