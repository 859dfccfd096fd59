import type { Asset } from '../../domain/posting.js';
import { Account } from '../../ledger/account.entity.js';
import { Entry } from '../../ledger/entry.entity.js';
import { Posting } from '../../ledger/posting.entity.js';
import { Chain } from '../../offers/chain.entity.js';
import { Deposit } from '../../payments/deposits/deposit.entity.js';
import { as } from '../../platform/sql/as.js';
import { given, unnest } from '../../platform/sql/given.js';
import { sql } from '../../platform/sql/sql.js';
import { out, set, table, values } from '../../platform/sql/table.js';
import type { RefundFailureCode } from './refund-standing.js';
import { Refund } from './refund.entity.js';

const refund = table(Refund);
const deposit = table(Deposit);
const chain = table(Chain);
const entry = table(Entry);
const posting = table(Posting);
const account = table(Account);
const ordered = given('ordered', {
  id: 'text',
  depositId: 'text',
  reference: 'text',
  amount: 'numeric',
  environment: 'text',
  asset: 'text',
});

const LOCKS = {
  refund: sql`for no key update of ${refund}`,
  both: sql`for no key update of ${refund}, ${deposit}`,
  'both, unless locked': sql`for no key update of ${refund}, ${deposit} skip locked`,
};

/** Which rows to lock, and whether to skip those that another transaction has locked. */
export type RefundLock = keyof typeof LOCKS;

/** Locks the open ones of these refunds, and reads them with the deposits that they pay out, the oldest first. */
export const lockOpenRefunds = (ids: readonly string[], lock: RefundLock) => sql`
  select ${out(refund, 'id', 'depositId', 'destinationKey', 'waitingReason')},
         ${refund.signedAt} is not null ${as.boolean('isSigned')}, ${deposit.goneAt} is not null ${as.boolean('isReorged')},
         ${out(deposit, 'chainRef', 'tokenContract', 'amount')}, ${out(chain, 'environment', 'network')}
    from ${refund} join ${deposit} on ${deposit.id} = ${refund.depositId}
    join ${chain} on ${chain.id} = ${deposit.chainRef}
   where ${refund.id} = any(${ids}) and ${refund.status} = 'broadcasting'
   order by ${refund.createdAt}, ${refund.id} ${LOCKS[lock]}`;

/** Inserts a refund that waits for its signature. */
export const insertRefund = (order: Pick<Refund, 'id' | 'depositId' | 'destination' | 'destinationKey'>) => sql`
  insert into ${refund} ${values(refund, { ...order, status: 'broadcasting' })}`;

/** Fails a refund. Without a hash it keeps the one that it has. */
export const failRefund = (id: string, code: RefundFailureCode, txHash: string | null) => sql`
  update ${refund}
     set ${set(refund, {
       status: 'failed',
       failureCode: code,
       txHash: sql`coalesce(${txHash}, ${refund.txHash})`,
       waitingReason: null,
       endedAt: sql`now()`,
     })}
   where ${refund.id} = ${id}`;

/** Completes a refund by the hash of the transaction that has paid it. */
export const completeRefund = (id: string, txHash: string) => sql`
  update ${refund} set ${set(refund, { status: 'completed', txHash, waitingReason: null, endedAt: sql`now()` })}
   where ${refund.id} = ${id}`;

/** A refund with the reference of its entry. */
interface OrderedRefund {
  readonly id: string;
  readonly depositId: string;
  readonly reference: string;
  readonly amount: bigint;
  readonly environment: string;
  readonly asset: Asset;
}

/** Finds those of the refunds for which the books hold the deposit. */
export const findHeldRefunds = (refunds: readonly OrderedRefund[]) => sql`
  select ${ordered.id.as('id')}
    from ${unnest(ordered, refunds)}
    join ${deposit} on ${deposit.id} = ${ordered.depositId} and ${deposit.heldAs} = 'returning'
    join ${entry} on ${entry.reference} = ${ordered.reference} and ${entry.kind} = 'return'
    join ${posting} on ${posting.entryId} = ${entry.id} and ${posting.amount} = ${ordered.amount}
    join ${account} on ${account.id} = ${posting.accountId} and ${account.kind} = 'returning'
     and ${account.environment} = ${ordered.environment} and ${account.asset} = ${ordered.asset}`;
