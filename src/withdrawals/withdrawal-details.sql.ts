import type { Standing } from '../domain/outgoing-payment.js';
import type { StaffStep } from '../domain/withdrawal.js';
import { Entry } from '../ledger/entry.entity.js';
import { Pocket } from '../ledger/pocket.entity.js';
import { Posting } from '../ledger/posting.entity.js';
import { as } from '../platform/sql/as.js';
import { sql } from '../platform/sql/sql.js';
import { every, out, table } from '../platform/sql/table.js';
import { SweepItem } from '../treasury/sweeps/sweep-item.entity.js';
import { Sweep } from '../treasury/sweeps/sweep.entity.js';
import { ChainTransaction } from '../treasury/transactions/chain-transaction.entity.js';
import { standingOf } from '../treasury/transactions/payment-standing.sql.js';
import { staffStep } from './staff-steps.sql.js';
import { waitsUntil } from './withdrawal-operations.sql.js';
import { Withdrawal } from './withdrawal.entity.js';

const withdrawal = table(Withdrawal);
const pocket = table(Pocket);
const entry = table(Entry);
const posting = table(Posting);
const sweep = table(Sweep);
const item = table(SweepItem, 'item');
const sent = table(ChainTransaction, 'sent');

/** What the books have moved back to the pocket. */
const returned = sql`
  (select sum(${posting.amount}) from ${posting}
    where ${posting.entryId} = (
            select ${entry.id} from ${entry} where ${entry.reference} = 'withdrawal:' || ${withdrawal.id} || ':refund')
      and ${posting.accountId} = (
            select ${pocket.availableAccountId} from ${pocket} where ${pocket.id} = ${withdrawal.pocketId}))`;

/** Finds a withdrawal with its standing. */
export const findDetails = (id: string) => sql`
  select ${every(withdrawal)}, ${standingOf(withdrawal)} ${as.textOf<Standing>()('standing')},
         ${staffStep} ${as.textOfOrNull<StaffStep>()('waitsFor')}, ${waitsUntil} ${as.timeOrNull('newUntil')},
         ${returned} ${as.digitsOrNull('returned')}
    from ${withdrawal} where ${withdrawal.id} = ${id}`;

/** Reads the open sweeps that bring funds in a token to the hot wallet of a chain, the oldest first. */
export const expectedSweeps = ({ chainRef, tokenContract }: Pick<Withdrawal, 'chainRef' | 'tokenContract'>) => sql`
  select ${out(sweep, 'id')}, sum(${item.expected}) ${as.digits('expected')},
         case when ${sweep.signedAt} is null then 'planned' when ${sent.broadcastAt} is null then 'signed'
              else 'sent' end ${as.textOf<'planned' | 'signed' | 'sent'>()('progress')}
    from ${item}
    join ${sweep} on ${sweep.id} = ${item.sweepId}
    left join ${sent} on ${sent.purpose} = 'sweep' and ${sent.purposeId} = ${sweep.id}
   where ${item.chainRef} = ${chainRef} and ${item.tokenContract} = ${tokenContract} and ${item.swept} is null
   group by ${sweep.id}, ${sent.broadcastAt} order by ${sweep.createdAt}, ${sweep.id}`;
