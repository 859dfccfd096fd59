import { as } from '../../../platform/sql/as.js';
import { sql } from '../../../platform/sql/sql.js';
import { table } from '../../../platform/sql/table.js';
import { ChainTransaction } from '../../../treasury/transactions/chain-transaction.entity.js';

const sent = table(ChainTransaction);

/** Counts the transactions of a chain whose end is not recorded. */
export const countOpen = (chainRef: string) => sql`
  select count(*)::int ${as.int('count')} from ${sent}
   where ${sent.chainRef} = ${chainRef} and ${sent.status} = 'signed'`;
