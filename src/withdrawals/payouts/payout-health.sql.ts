import { as } from '../../platform/sql/as.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { ChainTransaction } from '../../treasury/transactions/chain-transaction.entity.js';
import { countStandings } from '../../treasury/transactions/payment-standing.sql.js';
import { waitingSince } from '../policies/withdrawal-rules.sql.js';
import { Withdrawal } from '../withdrawal.entity.js';

const withdrawal = table(Withdrawal);
const sent = table(ChainTransaction);

/** Counts the open withdrawals by their standing, those that wait longest first. */
export const withdrawalStandings = countStandings(withdrawal, waitingSince);

/** Counts the transactions that are not final, by chain. */
export const openTransactions = sql`
  select ${out(sent, 'chainRef')}, count(*)::int ${as.int('count')},
         extract(epoch from clock_timestamp() - min(${sent.createdAt}))::int ${as.int('oldest')}
    from ${sent} where ${sent.status} = 'signed' group by ${sent.chainRef} order by ${sent.chainRef}`;
