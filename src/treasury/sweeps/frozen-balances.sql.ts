import { Deposit } from '../../payments/deposits/deposit.entity.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { sql, type SqlText } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';

const deposit = table(Deposit);

/** The columns that identify a balance. */
interface BalanceKey {
  readonly chainRef: SqlText;
  readonly tokenContract: SqlText;
  readonly addressId: SqlText;
}

const belongsTo = (balance: BalanceKey): SqlText => sql`
  ${deposit.addressId} = ${balance.addressId} and ${deposit.chainRef} = ${balance.chainRef}
    and ${deposit.tokenContract} = ${balance.tokenContract}`;

/**
 * `offset 0` makes the planner look deposits up by their address alone; otherwise it may scan all deposits that are not
 * final for each balance.
 */
const depositsOf = (balance: BalanceKey) => sql`
  select ${out(deposit, 'status', 'chainRef', 'fromAddress')} from ${deposit} where ${belongsTo(balance)} offset 0`;
const paid = subselect('paid', depositsOf);

/**
 * Whether a balance must not be swept because some of its funds are of a sender on the sanctions list: frozen, or of a
 * deposit that would be frozen if it became final now. A sweep takes the whole balance, so clean funds wait beside them
 * until an operator has released the rest.
 */
export const isFrozen = (balance: BalanceKey): SqlText => sql`
  (exists (select from ${deposit}
            where ${belongsTo(balance)} and ${deposit.listedSenderId} is not null
              and (${deposit.heldAs} in ('frozen', 'kept') or ${deposit.bookedAt} is null))
   or exists (select from ${define(paid, balance)}
               where ${paid.status} = 'seen' and listed_sender_of(${paid.chainRef}, ${paid.fromAddress}) is not null))`;
