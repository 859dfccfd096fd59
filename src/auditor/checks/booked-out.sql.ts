import type { Deposit } from '../../payments/deposits/deposit.entity.js';
import { sql } from '../../platform/sql/sql.js';
import type { Table } from '../../platform/sql/table.js';

/** Whether a final deposit is not in the books: staff booked it out, or it was reorged before it was credited. */
export const isOutOfBooks = (deposit: Table<Deposit>) => sql`
  ((${deposit.reversedAt} is not null and ${deposit.restoredAt} is null)
    or (${deposit.goneAt} is not null and ${deposit.bookedAt} is null))`;
