import { as } from '../../platform/sql/as.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { sql, type SqlText } from '../../platform/sql/sql.js';
import { table } from '../../platform/sql/table.js';
import { Deposit } from '../deposits/deposit.entity.js';
import { PaymentIntent } from '../intents/payment-intent.entity.js';

const deposit = table(Deposit);
const part = table(Deposit, 'part');
const quoted = table(PaymentIntent, 'quoted');

const intentsOfWaiting = (chainRef: string) => sql`
  select distinct ${deposit.intentId.as('id')} from ${deposit}
   where ${deposit.chainRef} = ${chainRef} and ${deposit.status} = 'seen' and ${deposit.intentId} is not null`;
const waiting = subselect('waiting', intentsOfWaiting);

const unbackedOf = (intentId: SqlText) => sql`
  select sum(${part.amount}) ${as.digitsOrNull('units')} from ${part}
   where ${part.intentId} = ${intentId} and ${part.status} <> 'orphaned' and ${part.secondNodeAt} is null`;
const unbacked = subselect('unbacked', unbackedOf);

/**
 * Whether enough nodes reported a deposit of a chain for it to become final. `above` is the value in fiat minor units from
 * which two nodes must have reported it; null where this is not required. The rule sums what an intent holds without a
 * second report, since one large payment can be reported as many small ones; the value follows the locked quote. A deposit
 * without an intent has no known value and is treated like the largest. The sums do not depend on the row, so they are
 * built once, from the waiting intents.
 */
export const hasNodesEnough = (chainRef: string, above: number | null) => sql`
  (${above}::bigint is null or ${deposit.secondNodeAt} is not null or coalesce(${deposit.intentId} in (
     select ${quoted.id}
       from ${define(waiting, chainRef)}
       join ${quoted} on ${quoted.id} = ${waiting.id}
      cross join lateral ${define(unbacked, quoted.id)}
      where ${unbacked.units} * ${quoted.amountCents} < ${above}::bigint * ${quoted.cryptoAmount}), false))`;
