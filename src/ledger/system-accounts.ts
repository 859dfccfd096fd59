import type { Environment } from '../domain/network.js';
import type { Asset } from '../domain/posting.js';
import { row, rows, type Tx } from '../platform/database/database.js';
import { HOLDING_ACCOUNT_KINDS, type SystemAccountKind } from './account.entity.js';
import { findSystemAccount, openSystemAccount } from './system-accounts.sql.js';

/** Returns the id of the system account of this kind for an asset. Opens the account when it does not exist yet. */
export async function systemAccount(
  tx: Tx,
  kind: SystemAccountKind,
  environment: Environment,
  asset: Asset,
): Promise<number> {
  const key = { kind, environment, asset };
  const [open] = await rows(tx, findSystemAccount(key));
  if (open !== undefined) return Number(open.id);
  const hasBalance = HOLDING_ACCOUNT_KINDS.some((holding) => holding === kind);
  await rows(tx, openSystemAccount(key, hasBalance ? 0 : null));
  const opened = await row(tx, findSystemAccount(key));
  return Number(opened.id);
}
