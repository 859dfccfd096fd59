import { addressFamilyOf } from '../../../domain/network.js';
import type { Database } from '../../../platform/database/database.js';
import type { RowOf } from '../../../platform/sql/sql.js';
import type { Finding } from '../../check.js';
import type { AuditedExpiringChain } from '../audited-expiring-chain.js';
import { nextAddresses } from '../chain-balances.sql.js';

const ADDRESSES_AT_ONCE = 20;

type AddressRow = RowOf<typeof nextAddresses>;

/**
 * Returns the first address that holds less than its final deposits, its fundings and its sweeps leave. It may hold more: no
 * past balance can be read, and the listener explains what is more.
 */
export async function findSolidBalanceBreach(database: Database, chain: AuditedExpiringChain): Promise<Finding | null> {
  const { chainRef, environment, network } = chain;
  const page = { environment, family: addressFamilyOf(network), limit: ADDRESSES_AT_ONCE, chainRef };
  for (let above = '0'; ;) {
    const rows = await database.rows(nextAddresses({ ...page, above, height: Number.MAX_SAFE_INTEGER }));
    const breaches = await Promise.all(rows.map((row) => breachOf(chain, row)));
    const first = breaches.find((breach) => breach !== null);
    if (first !== undefined) return first;
    above = rows.at(-1)?.id ?? above;
    if (rows.length < ADDRESSES_AT_ONCE) return null;
  }
}

async function breachOf(
  { client, finalHeight }: AuditedExpiringChain,
  { addressKey: address, expected }: AddressRow,
): Promise<Finding | null> {
  const tokens = Object.keys(expected ?? {});
  if (expected === null || tokens.length === 0) return null;
  const { units } = await client.finalBalancesOf(address, tokens, finalHeight);
  for (const [place, token] of tokens.entries()) {
    const least = BigInt(expected[token]?.[0] ?? 0);
    const held = units[place] ?? 0n;
    if (held >= least) continue;
    return { row: `address ${address}`, says: `holds ${held} of ${token}, and its deposits and sweeps leave ${least}` };
  }
  return null;
}
