import { Entry } from '../../ledger/entry.entity.js';
import { sql } from '../../platform/sql/sql.js';
import { table } from '../../platform/sql/table.js';
import { Deposit } from './deposit.entity.js';

const deposit = table(Deposit);
const entry = table(Entry);

/**
 * Whether staff had released a listed sender's deposit before it was booked out. It is null for every other deposit; the
 * ledger is read in that case only.
 */
export const isReleasedBeforeReversal = sql`
  case when ${deposit.listedSenderId} is not null and ${deposit.reversedAt} is not null and ${deposit.restoredAt} is null
    then exists (select from ${entry} where ${entry.reference} = 'release:' || ${deposit.id}) end`;
