import { addressFamilyOf } from '../../../domain/network.js';
import type { Database } from '../../../platform/database/database.js';
import type { RowOf } from '../../../platform/sql/sql.js';
import type { Finding } from '../../check.js';
import { nextAddresses } from '../chain-balances.sql.js';
import type { AuditedBlockChain } from './audited-block-chain.js';

const ADDRESSES_AT_ONCE = 500;
/** Each is a question of its own, and all must be answered between two final blocks. */
const BALANCES_AT_ONCE = 10;

type AddressRow = RowOf<typeof nextAddresses>;

/** A balance that an address must have at least. */
interface Expected {
  readonly owner: string;
  readonly token: string;
  readonly least: bigint;
}

/**
 * Returns the first address that holds less than its final deposits and its sweeps leave. It may hold more: no past balance
 * can be read, and the listener records what is more.
 */
export async function findBlockBalanceBreach(database: Database, chain: AuditedBlockChain): Promise<Finding | null> {
  const { chainRef, environment, network } = chain;
  const page = { environment, family: addressFamilyOf(network), limit: ADDRESSES_AT_ONCE, chainRef };
  for (let above = '0'; ;) {
    const rows = await database.rows(nextAddresses({ ...page, above, height: Number.MAX_SAFE_INTEGER }));
    const breach = await breachAmong(chain, rows.flatMap(expectedOf));
    if (breach !== null) return breach;
    above = rows.at(-1)?.id ?? above;
    if (rows.length < ADDRESSES_AT_ONCE) return null;
  }
}

async function breachAmong(
  { client, finalHeight }: AuditedBlockChain,
  expected: readonly Expected[],
): Promise<Finding | null> {
  for (let from = 0; from < expected.length; from += BALANCES_AT_ONCE) {
    const some = expected.slice(from, from + BALANCES_AT_ONCE);
    const funds = await client.finalFundsAt(some, finalHeight);
    for (const [place, { owner, token, least }] of some.entries()) {
      const held = funds[place]?.units ?? 0n;
      if (held >= least) continue;
      const says = `holds ${held} of ${token}, and its deposits and sweeps leave ${least}`;
      return { row: `address ${owner}`, says };
    }
  }
  return null;
}

const expectedOf = ({ addressKey: owner, expected }: AddressRow): readonly Expected[] =>
  Object.entries(expected ?? {}).map(([token, [least]]) => ({ owner, token, least: BigInt(least) }));
