import { NATIVE_COIN } from '../../../domain/network.js';
import type { Database } from '../../../platform/database/database.js';
import type { Finding } from '../../check.js';
import { bookBalance, findWalletAddress } from '../chain-hot-wallet.sql.js';
import { countOpen } from './account-hot-wallet.sql.js';
import type { AuditedExpiringChain } from './audited-account-chain.js';

/**
 * Returns the first token of which the hot wallet does not hold what the books say at a final block. It is not compared
 * while transactions are in flight: no past balance can be read, and they may be in that block.
 */
export async function findAccountHotWalletBreach(
  database: Database,
  { chainRef, client, tokens, finalHeight }: AuditedExpiringChain,
  unasked: (what: string) => void,
): Promise<Finding | null> {
  const [wallet] = await database.rows(findWalletAddress(chainRef));
  if (wallet === undefined) return null;
  const asked = [NATIVE_COIN, ...tokens];
  const open = async (): Promise<number> => (await database.rows(countOpen(chainRef)))[0]?.count ?? 0;
  const before = await open();
  const { asOf, owned } = await client.finalBalancesOf(wallet.addressKey, asked, finalHeight);
  const inFlight = Math.max(before, await open());
  if (inFlight > 0) {
    unasked(`${inFlight} transactions of the hot wallet are in flight: its balances are not compared.`);
    return null;
  }
  for (const [place, token] of asked.entries()) {
    const [books] = await database.rows(bookBalance(chainRef, token, asOf.height));
    const held = owned[place] ?? 0n;
    const least = BigInt(books?.units ?? 0);
    const most = least + BigInt(books?.around ?? 0);
    if (held >= least && held <= most) continue;
    const isCompared = books?.comparedTo !== null && Number(books?.comparedTo) >= asOf.height;
    if (held > most && !isCompared) {
      unasked(`${held - most} of ${token} arrived in the hot wallet and are not booked yet.`);
      continue;
    }
    const says = `holds ${held} of ${token} at block ${asOf.height}, and the books say ${least}`;
    return { row: `hot_wallet ${chainRef}`, says };
  }
  return null;
}
