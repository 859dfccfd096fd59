import { Chain } from '../../offers/chain.entity.js';
import { Deposit } from '../../payments/deposits/deposit.entity.js';
import { as } from '../../platform/sql/as.js';
import { sql } from '../../platform/sql/sql.js';
import { out, set, table } from '../../platform/sql/table.js';
import { HotWallet } from '../../treasury/wallets/hot-wallet.entity.js';

const wallet = table(HotWallet);
const chain = table(Chain);
const deposit = table(Deposit);

/** Locks the hot wallet of a network, so that the vault does not sign meanwhile. */
export const lockWallet = ({ environment, network }: Pick<Chain, 'environment' | 'network'>) => sql`
  select ${out(wallet, 'chainRef', 'frozenReason', 'nextNonce', 'chainNonce')} from ${wallet}
    join ${chain} on ${chain.id} = ${wallet.chainRef} and ${chain.active}
   where ${chain.environment} = ${environment} and ${chain.network} = ${network} for no key update of ${wallet}`;

/** Lets a hot wallet sign again. The chain is asked again: a node may have reported too high a nonce. */
export const unfreezeWallet = (chainRef: string) => sql`
  update ${wallet} set ${set(wallet, { frozenReason: null, chainNonce: null })} where ${wallet.chainRef} = ${chainRef}`;

/** Counts the deposits that were reorged from a chain and are still in the books. */
export const countReorgedDeposits = (chainRef: string) => sql`
  select count(*)::int ${as.int('count')} from ${deposit}
   where ${deposit.chainRef} = ${chainRef} and ${deposit.goneAt} is not null and ${deposit.bookedAt} is not null
     and (${deposit.reversedAt} is null or ${deposit.restoredAt} is not null)`;
