import { addressFamilyOf, NATIVE_COIN } from '../../domain/network.js';
import type { Database } from '../../platform/database/database.js';
import type { AuditedChain } from '../audited-chain.js';
import type { RowOf } from '../../platform/sql/sql.js';
import type { Finding } from '../check.js';
import { nextAddresses } from './chain-balances.sql.js';

const ADDRESSES_AT_ONCE = 20;

type AddressRow = RowOf<typeof nextAddresses>;

/**
 * Returns the first address whose token balance does not match its deposits and sweeps: a transfer was missed, or funds
 * left. There may be more of the chain's own coin, because payments by contracts are recorded with a delay.
 */
export async function findBalanceBreach(database: Database, chain: AuditedChain): Promise<Finding | null> {
  const { chainRef, environment, client, final } = chain;
  const family = addressFamilyOf(client.network);
  const page = { environment, family, limit: ADDRESSES_AT_ONCE, chainRef, height: final.height };
  let above = '0';
  for (;;) {
    const addresses = await database.rows(nextAddresses({ ...page, above }));
    const coins = await client.balancesAt(
      final,
      addresses.map(({ addressKey }) => addressKey),
    );
    const breaches = await Promise.all(
      addresses.map(
        async (address, nth) => coinBreachOf(address, coins[nth] ?? 0n) ?? (await breachOf(chain, address)),
      ),
    );
    const first = breaches.find((breach) => breach !== null);
    if (first !== undefined) return first;
    if (addresses.length < ADDRESSES_AT_ONCE) return null;
    above = addresses.at(-1)?.id ?? above;
  }
}

async function breachOf(
  { client, final, tokens }: AuditedChain,
  { addressKey: address, expected }: AddressRow,
): Promise<Finding | null> {
  const balances = await client.outgoing.tokenBalancesAt(final, tokens, address);
  for (const [place, token] of tokens.entries()) {
    const [least = '0', most = '0'] = expected?.[token] ?? [];
    const held = balances[place] ?? 0n;
    if (held >= BigInt(least) && held <= BigInt(most)) continue;
    return { row: `address ${address}`, says: `holds ${held} of ${token}, and its deposits and sweeps leave ${most}` };
  }
  return null;
}

/** Only our sweeps move coins from an address: the hot wallet pays the gas of delegations. */
function coinBreachOf({ addressKey: address, expected }: AddressRow, held: bigint): Finding | null {
  const [least = '0'] = expected?.[NATIVE_COIN] ?? [];
  if (held >= BigInt(least)) return null;
  return { row: `address ${address}`, says: `holds ${held} of the coin, and its deposits and sweeps leave ${least}` };
}
