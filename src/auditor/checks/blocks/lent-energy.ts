import { NATIVE_COIN } from '../../../domain/network.js';
import type { Database } from '../../../platform/database/database.js';
import type { Finding } from '../../check.js';
import { countOpen } from '../accounts/account-hot-wallet.sql.js';
import { findWalletAddress } from '../chain-hot-wallet.sql.js';
import type { AuditedBlockChain } from './audited-block-chain.js';
import { bookedAsLent } from './lent-energy.sql.js';

/**
 * Returns the hot wallet if it has lent another stake than the books say, as of a final block. It is not compared while
 * transactions are in flight, which may be in that block.
 */
export async function findLentEnergyBreach(
  database: Database,
  { chainRef, client, finalHeight }: AuditedBlockChain,
  unasked: (what: string) => void,
): Promise<Finding | null> {
  const [wallet] = await database.rows(findWalletAddress(chainRef));
  if (wallet === undefined) return null;
  const open = async (): Promise<number> => (await database.rows(countOpen(chainRef)))[0]?.count ?? 0;
  const before = await open();
  const { asOf, lent } = await client.finalBalancesOf(wallet.addressKey, [NATIVE_COIN], finalHeight);
  const [books] = await database.rows(bookedAsLent(chainRef));
  const inFlight = Math.max(before, await open());
  if (inFlight > 0) {
    unasked(`${inFlight} transactions of the hot wallet are in flight: the energy that it lends is not compared.`);
    return null;
  }
  const booked = BigInt(books?.stake ?? 0);
  if (lent === booked) return null;
  const says = `lends the energy of ${lent} at block ${asOf.height}, and the books say ${booked}`;
  return { row: `hot_wallet ${chainRef}`, says };
}
