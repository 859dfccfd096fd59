import { given, unnest } from '../../../platform/sql/given.js';
import { sql } from '../../../platform/sql/sql.js';
import { columns, out, set, table } from '../../../platform/sql/table.js';
import { UnexplainedBalance } from './unexplained-balance.entity.js';

const balance = table(UnexplainedBalance);
const excluded = table(UnexplainedBalance, 'excluded');
const open = given('open', { account: 'text', units: 'numeric' });

/** What an account holds above the books, in smallest units. */
export interface UnexplainedUnits {
  readonly account: string;
  readonly units: bigint;
}

/** Reads the unexplained balances of a chain. */
export const findUnexplained = (chainRef: string) => sql`
  select ${out(balance, 'account', 'units')} from ${balance} where ${balance.chainRef} = ${chainRef}`;

/** Stores unexplained balances. One that changed counts from now on. */
export const upsertUnexplained = (chainRef: string, balances: readonly UnexplainedUnits[]) => sql`
  insert into ${balance} ${columns(balance, 'chainRef', 'account', 'units')}
  select ${chainRef}, ${open.account}, ${open.units} from ${unnest(open, balances)}
  on conflict ${columns(balance, 'chainRef', 'account')} do update
    set ${set(balance, { units: excluded.units, since: sql`now()` })}`;

/** Deletes balances that are explained. */
export const deleteExplained = (chainRef: string, accounts: readonly string[]) => sql`
  delete from ${balance} where ${balance.chainRef} = ${chainRef} and ${balance.account} = any(${accounts})`;
