import { PoolAddress } from '../../../payments/addresses/pool-address.entity.js';
import { Deposit } from '../../../payments/deposits/deposit.entity.js';
import { CreditedAccount } from '../../../payments/listener/accounts/credited-account.entity.js';
import { WatchedAccount } from '../../../payments/listener/accounts/watched-account.entity.js';
import { as } from '../../../platform/sql/as.js';
import { sql } from '../../../platform/sql/sql.js';
import { out, table } from '../../../platform/sql/table.js';
import { isOutOfBooks } from '../booked-out.sql.js';

const deposit = table(Deposit);
const watched = table(WatchedAccount);
const credited = table(CreditedAccount);
const address = table(PoolAddress);

/** Which final deposits of a chain to read. */
interface DepositPage {
  readonly chainRef: string;
  readonly above: string;
  readonly limit: number;
}

/** Reads the next final deposits of accounts above an id that are in the books. */
export const nextAccountDeposits = ({ chainRef, above, limit }: DepositPage) => sql`
  select ${out(deposit, 'id', 'position', 'tokenContract', 'amount', 'blockHeight', 'blockHash')},
         ${deposit.txHash.asNotNull('txHash')}, ${deposit.account.asNotNull('account')}, ${address.addressKey.as('owner')}
    from ${deposit} join ${address} on ${address.id} = ${deposit.addressId}
   where ${deposit.chainRef} = ${chainRef} and ${deposit.status} = 'confirmed' and not ${isOutOfBooks(deposit)}
     and ${deposit.account} is not null and ${deposit.id} > ${above}
   order by ${deposit.id} limit ${limit}`;

/** Finds which of these accounts are ours and not left out of the books, with the address that owns each. */
export const ownAccounts = (chainRef: string, accounts: readonly string[]) => sql`
  select ${watched.account.as('account')}, ${watched.tokenContract.as('token')}, false ${as.boolean('isCredited')},
         ${address.addressKey.as('owner')}
    from ${watched} join ${address} on ${address.id} = ${watched.addressId}
   where ${watched.chainRef} = ${chainRef} and ${watched.account} = any(${accounts})
  union all
  select ${credited.account}, ${credited.tokenContract}, true, ${address.addressKey}
    from ${credited} join ${address} on ${address.id} = ${credited.addressId}
   where ${credited.chainRef} = ${chainRef} and ${credited.account} = any(${accounts}) and ${credited.obstacle} is null`;

/** Finds the stored deposits of transactions, final or not. */
export const depositsOf = (chainRef: string, txHashes: readonly string[]) => sql`
  select ${out(deposit, 'txHash', 'position', 'tokenContract')} from ${deposit}
   where ${deposit.chainRef} = ${chainRef} and ${deposit.txHash} = any(${txHashes}) and ${deposit.status} <> 'orphaned'`;
