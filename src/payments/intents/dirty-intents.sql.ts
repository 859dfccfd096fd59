import { OPEN_STATUSES } from '../../domain/intent-state.js';
import { Deposit } from '../deposits/deposit.entity.js';
import { textList } from '../../platform/database/text-list.js';
import { given, unnest } from '../../platform/sql/given.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { raw, sql } from '../../platform/sql/sql.js';
import { columns, out, set, table, values } from '../../platform/sql/table.js';
import { DirtyIntent } from './dirty-intent.entity.js';
import { PaymentIntent } from './payment-intent.entity.js';

const mark = table(DirtyIntent);
const excluded = table(DirtyIntent, 'excluded');
const waiting = table(DirtyIntent, 'waiting');
const intent = table(PaymentIntent);
const deposit = table(Deposit);
const marked = given('marked', { id: 'text' });

/** Marks intents in the order of their ids; one in quarantine leaves it. */
export function insertMarks(intentIds: readonly string[]) {
  const ids = intentIds.map((id) => ({ id }));
  return sql`
    insert into ${mark} ${columns(mark, 'intentId')}
    select ${marked.id} from ${unnest(marked, ids)} order by ${marked.id}
    on conflict ${columns(mark, 'intentId')} do update
       set ${set(mark, { markedAt: sql`now()`, quarantinedAt: null, failures: 0 })}`;
}

const lockMarks = (intentIds: readonly string[]) => sql`
  select ${out(waiting, 'intentId')} from ${waiting}
   where ${waiting.intentId} = any(${intentIds}) order by ${waiting.intentId} for update`;
const locked = subselect('locked', lockMarks);

/** Deletes the marks of intents. Locks them in the order in which others make them. */
export const deleteMarks = (intentIds: readonly string[]) => sql`
  delete from ${mark} using ${define(locked, intentIds)} where ${mark.intentId} = ${locked.intentId}`;

/** Counts a failure of an intent, and quarantines it when it has as many as given. */
export const countFailure = (intentId: string, lastError: string, failuresMax: number) => sql`
  insert into ${mark} ${values(mark, { intentId, failures: 1, lastError })}
  on conflict ${columns(mark, 'intentId')} do update
     set ${set(mark, {
       failures: sql`${mark.failures} + 1`,
       lastError: excluded.lastError,
       markedAt: sql`now()`,
       quarantinedAt: sql`case when ${mark.failures} + 1 >= ${failuresMax} then now() end`,
     })}
  returning ${out(mark, 'failures')}`;

/** Reads marks that have waited longer than a wake takes, the oldest first. */
export const waitingMarks = (limit: number) => sql`
  select ${mark.intentId.as('id')} from ${mark}
   where ${mark.quarantinedAt} is null and ${mark.markedAt} < now() - interval '1 second'
   order by ${mark.markedAt} limit ${limit}`;

/**
 * Marks open intents whose amounts include money on hold. It exists for rolling updates only: a worker of the previous
 * version counts money on hold and deletes the mark of the migration. Remove it one version later.
 *
 * `counting_units` is the sum of the intent's payments that are neither on hold nor kept, late ones included. An intent
 * that received more than that has counted money on hold.
 */
export const markCountedOnHold = sql`
  insert into ${mark} ${columns(mark, 'intentId')}
  select ${intent.id} from ${intent}
   where ${intent.id} in (
           select ${deposit.intentId} from ${deposit}
            where ${deposit.heldAs} is not null and ${deposit.heldAs} in ('frozen', 'kept'))
     and ${intent.status} in ${raw(textList(OPEN_STATUSES))}
     and ${intent.receivedCryptoAmount} > counting_units(${intent.id})
   order by ${intent.id}
  on conflict do nothing`;
