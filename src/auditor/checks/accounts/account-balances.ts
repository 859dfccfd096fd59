import { addressFamilyOf } from '../../../domain/network.js';
import type { Database } from '../../../platform/database/database.js';
import type { RowOf } from '../../../platform/sql/sql.js';
import type { Finding } from '../../check.js';
import { nextAddresses } from '../chain-balances.sql.js';
import type { AuditedAccountChain } from './audited-account-chain.js';

const ADDRESSES_AT_ONCE = 500;

type AddressRow = RowOf<typeof nextAddresses>;

/**
 * Returns the first address that holds less than its final deposits and its sweeps leave. It may hold more: no past balance
 * can be read, and the listener explains what is more.
 */
export async function findAccountBalanceBreach(
  database: Database,
  chain: AuditedAccountChain,
): Promise<Finding | null> {
  const { chainRef, environment, network } = chain;
  const page = { environment, family: addressFamilyOf(network), limit: ADDRESSES_AT_ONCE, chainRef };
  for (let above = '0'; ;) {
    const rows = await database.rows(nextAddresses({ ...page, above, height: Number.MAX_SAFE_INTEGER }));
    const breach = await breachAmong(chain, rows);
    if (breach !== null) return breach;
    above = rows.at(-1)?.id ?? above;
    if (rows.length < ADDRESSES_AT_ONCE) return null;
  }
}

/** A balance that an address must have at least. */
interface Expected {
  readonly address: string;
  readonly account: string;
  readonly token: string;
  readonly least: bigint;
}

async function breachAmong(chain: AuditedAccountChain, rows: readonly AddressRow[]): Promise<Finding | null> {
  const { client, finalHeight } = chain;
  const expected = (await Promise.all(rows.map((row) => expectedOf(chain, row)))).flat();
  for (let from = 0; from < expected.length; from += client.accountsPerRequest) {
    const some = expected.slice(from, from + client.accountsPerRequest);
    const { units } = await client.balancesOf(some, finalHeight);
    for (const [place, { address, token, least }] of some.entries()) {
      const held = units[place] ?? 0n;
      if (held >= least) continue;
      return {
        row: `address ${address}`,
        says: `holds ${held} of ${token}, and its deposits and sweeps leave ${least}`,
      };
    }
  }
  return null;
}

async function expectedOf(
  { client, tokens }: AuditedAccountChain,
  { addressKey: address, expected }: AddressRow,
): Promise<readonly Expected[]> {
  if (expected === null) return [];
  const accounts = await client.accountsOf(address, tokens);
  return accounts.flatMap(({ account, token }) => {
    const [least] = expected[token] ?? [];
    return least === undefined ? [] : [{ address, account, token, least: BigInt(least) }];
  });
}
