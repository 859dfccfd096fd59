import { Entry } from '../../ledger/entry.entity.js';
import { Pocket } from '../../ledger/pocket.entity.js';
import { Posting } from '../../ledger/posting.entity.js';
import { Chain } from '../../offers/chain.entity.js';
import { given, unnest } from '../../platform/sql/given.js';
import { sql } from '../../platform/sql/sql.js';
import { every, out, set, table } from '../../platform/sql/table.js';
import { Withdrawal } from '../withdrawal.entity.js';

const withdrawal = table(Withdrawal);
const ordered = table(Withdrawal, 'ordered');
const chain = table(Chain);
const pocket = table(Pocket);
const entry = table(Entry);
const posting = table(Posting);
const waiting = given('waiting', { id: 'text', reason: 'text', isReleased: 'boolean' });

/** Locks those of the withdrawals that wait for a signature and are not locked, the oldest first. */
export const lockUnsigned = (ids: readonly string[]) => sql`
  select ${every(withdrawal)} from ${withdrawal}
   where ${withdrawal.id} = any(${ids}) and ${withdrawal.status} = 'broadcasting' and ${withdrawal.signedAt} is null
   order by ${withdrawal.createdAt}, ${withdrawal.id} for no key update skip locked`;

/** Finds those of the withdrawals for which the books hold amount and fee. */
export const findHeld = (ids: readonly string[]) => sql`
  select ${out(ordered, 'id')} from ${ordered} join ${chain} on ${chain.id} = ${ordered.chainRef}
    join ${pocket} on ${pocket.id} = ${ordered.pocketId}
     and (${pocket.merchantId}, ${pocket.environment}, ${pocket.network}, ${pocket.tokenContract})
       = (${ordered.merchantId}, ${chain.environment}, ${chain.network}, ${ordered.tokenContract})
    join ${entry} on ${entry.reference} = 'withdrawal:' || ${ordered.id} and ${entry.kind} = 'withdrawal'
    join ${posting} on ${posting.entryId} = ${entry.id} and ${posting.accountId} = ${pocket.heldAccountId}
   where ${ordered.id} = any(${ids}) and ${posting.amount} = ${ordered.amount} + ${ordered.feeAmount}`;

/** Why a withdrawal waits, and whether a rule held it until now. */
interface WaitingWithdrawal {
  readonly id: string;
  readonly reason: string;
  readonly isReleased: boolean;
}

/** Records why withdrawals wait, and when a rule released them. */
export const recordReasons = (withdrawals: readonly WaitingWithdrawal[]) => sql`
  update ${withdrawal}
     set ${set(withdrawal, {
       waitingReason: waiting.reason,
       releasedAt: sql`case when ${waiting.isReleased} then now() else ${withdrawal.releasedAt} end`,
     })}
    from ${unnest(waiting, withdrawals)} where ${withdrawal.id} = ${waiting.id}`;
