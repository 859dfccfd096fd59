import { type Tx, sql } from '../../platform/database/database.js';
import { detached } from '../../platform/database/detached.js';
import { Deposit } from '../deposits/deposit.entity.js';
import { WITH_RELEASE_BEFORE_REVERSAL } from '../deposits/deposit-release.sql.js';
import { PAYMENTS_SHOWN } from './payment-intent.presenter.js';

/** Returns the deposits of intents that are shown, by intent: the largest, as anybody can send dust without end. */
export async function shownDepositsOf(em: Tx, intentIds: readonly string[]): Promise<Map<string, Deposit[]>> {
  if (intentIds.length === 0) return new Map();
  const rows = await sql<Record<string, unknown>>(
    em,
    `select shown.* from unnest($1::text[]) as intent (id)
      cross join lateral (
        select ${WITH_RELEASE_BEFORE_REVERSAL} from deposit where intent_id = intent.id order by amount desc limit ${PAYMENTS_SHOWN}) shown`,
    [intentIds],
  );
  return byIntent(em, rows);
}

/** Returns the deposits of intents, by intent. */
export async function depositsOf(em: Tx, intentIds: readonly string[]): Promise<Map<string, Deposit[]>> {
  if (intentIds.length === 0) return new Map();
  const rows = await sql<Record<string, unknown>>(
    em,
    `select ${WITH_RELEASE_BEFORE_REVERSAL} from deposit where intent_id = any($1)`,
    [intentIds],
  );
  return byIntent(em, rows);
}

function byIntent(em: Tx, rows: readonly Record<string, unknown>[]): Map<string, Deposit[]> {
  return Map.groupBy(
    rows.map((row) => detached(em, Deposit, row)),
    (deposit) => deposit.intentId ?? '',
  );
}
