import { sql } from '../../platform/sql/sql.js';
import { table } from '../../platform/sql/table.js';
import { Deposit } from './deposit.entity.js';

const deposit = table(Deposit);

/** How long the chain is checked for the return of a deposit that was booked out. */
export const comesBackWithin = sql`interval '7 days'`;

/** Whether a deposit is in the books and was reorged: it is to be booked out. */
export const isBookedAndReorged = sql`
  (${deposit.goneAt} is not null and ${deposit.bookedAt} is not null
    and (${deposit.reversedAt} is null or ${deposit.restoredAt} is not null))`;

/** Whether a deposit was reorged, booked out, and not booked in again. */
export const isReversedAndReorged = sql`
  ${deposit.goneAt} is not null and ${deposit.reversedAt} is not null and ${deposit.restoredAt} is null`;
