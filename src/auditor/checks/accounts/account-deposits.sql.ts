import { Deposit } from '../../../payments/deposits/deposit.entity.js';
import { WatchedAccount } from '../../../payments/listener/accounts/watched-account.entity.js';
import { sql } from '../../../platform/sql/sql.js';
import { out, table } from '../../../platform/sql/table.js';
import { isOutOfBooks } from '../booked-out.sql.js';

const deposit = table(Deposit);
const watched = table(WatchedAccount);

/** Which final deposits of a chain to read. */
interface DepositPage {
  readonly chainRef: string;
  readonly above: string;
  readonly limit: number;
}

/** Reads the next final deposits of accounts above an id that are in the books. */
export const nextAccountDeposits = ({ chainRef, above, limit }: DepositPage) => sql`
  select ${out(deposit, 'id', 'position', 'tokenContract', 'amount', 'blockHeight', 'blockHash')},
         ${deposit.txHash.asNotNull('txHash')}, ${deposit.account.asNotNull('account')}
    from ${deposit}
   where ${deposit.chainRef} = ${chainRef} and ${deposit.status} = 'confirmed' and not ${isOutOfBooks(deposit)}
     and ${deposit.account} is not null and ${deposit.id} > ${above}
   order by ${deposit.id} limit ${limit}`;

/** Finds which of these accounts are ours. */
export const ownAccounts = (chainRef: string, accounts: readonly string[]) => sql`
  select ${out(watched, 'account', 'tokenContract')} from ${watched}
   where ${watched.chainRef} = ${chainRef} and ${watched.account} = any(${accounts})`;

/** Finds the stored deposits of transactions, final or not. */
export const depositsOf = (chainRef: string, txHashes: readonly string[]) => sql`
  select ${out(deposit, 'txHash', 'position', 'tokenContract')} from ${deposit}
   where ${deposit.chainRef} = ${chainRef} and ${deposit.txHash} = any(${txHashes}) and ${deposit.status} <> 'orphaned'`;
