import { Deposit } from '../deposits/deposit.entity.js';
import { isReleasedBeforeReversal } from '../deposits/deposit-release.sql.js';
import { as } from '../../platform/sql/as.js';
import { given, unnest } from '../../platform/sql/given.js';
import { all, define, subselect } from '../../platform/sql/relation.js';
import { literal, sql, type SqlText } from '../../platform/sql/sql.js';
import { every, table } from '../../platform/sql/table.js';
import { PAYMENTS_SHOWN } from './payment-intent.presenter.js';

const deposit = table(Deposit);
const intent = given('intent', { id: 'text' });

const payments = (which: SqlText) => sql`
  select ${every(deposit)}, ${isReleasedBeforeReversal} ${as.booleanOrNull('wasReleasedBeforeReversal')}
    from ${deposit} where ${which}`;
const shown = subselect('shown', payments);

/** Finds the deposits of intents. */
export const findDeposits = (intentIds: readonly string[]) => payments(sql`${deposit.intentId} = any(${intentIds})`);

/** Finds the largest deposits of each intent. */
export function findShownDeposits(intentIds: readonly string[]) {
  const intents = intentIds.map((id) => ({ id }));
  // A plan for any limit would be another one.
  const limit = literal(PAYMENTS_SHOWN);
  const largest = sql`${deposit.intentId} = ${intent.id} order by ${deposit.amount} desc limit ${limit}`;
  return sql`
    select ${all(shown)} from ${unnest(intent, intents)} cross join lateral ${define(shown, largest)}`;
}
