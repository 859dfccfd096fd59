import type { Environment } from '../domain/network.js';
import type { Asset } from '../domain/posting.js';
import { type Tx, sql, sqlOne } from '../platform/database/database.js';
import { HOLDING_ACCOUNT_KINDS, type SystemAccountKind } from './account.entity.js';

/** Returns the id of the system account of this kind for an asset. Opens the account when it does not exist yet. */
export async function systemAccount(
  tx: Tx,
  kind: SystemAccountKind,
  environment: Environment,
  asset: Asset,
): Promise<number> {
  const key = [kind, environment, asset];
  const balance = HOLDING_ACCOUNT_KINDS.some((holding) => holding === kind) ? 0 : null;
  const where = 'kind = $1 and environment = $2 and asset = $3 and merchant_id is null';
  await sql(
    tx,
    `insert into account (kind, environment, asset, balance)
     select $1, $2, $3, $4::numeric where not exists (select from account where ${where})
     on conflict do nothing`,
    [...key, balance],
  );
  const account = await sqlOne<{ id: string }>(tx, `select id from account where ${where}`, key);
  return Number(account.id);
}
