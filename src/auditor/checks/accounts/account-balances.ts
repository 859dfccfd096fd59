import type { FundsAccount } from '../../../chains/accounts.js';
import { addressFamilyOf } from '../../../domain/network.js';
import type { Database } from '../../../platform/database/database.js';
import type { RowOf } from '../../../platform/sql/sql.js';
import type { Finding } from '../../check.js';
import { nextAddresses } from '../chain-balances.sql.js';
import { creditedAccountsOf } from './account-deposits.sql.js';
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
    const breach = await breachAmong(database, chain, rows);
    if (breach !== null) return breach;
    above = rows.at(-1)?.id ?? above;
    if (rows.length < ADDRESSES_AT_ONCE) return null;
  }
}

/** A balance that an address must have at least, in all of its accounts of the token. */
interface Expected {
  readonly address: string;
  readonly token: string;
  readonly least: bigint;
  readonly accounts: readonly FundsAccount[];
}

async function breachAmong(
  database: Database,
  chain: AuditedAccountChain,
  rows: readonly AddressRow[],
): Promise<Finding | null> {
  const others = await database.rows(
    creditedAccountsOf(
      chain.chainRef,
      rows.map(({ id }) => id),
    ),
  );
  const expected = (await Promise.all(rows.map((row) => expectedOf(chain, row, others)))).flat();
  const held = await unitsIn(
    chain,
    expected.flatMap(({ accounts }) => accounts),
  );
  for (const { address, token, least, accounts } of expected) {
    const units = accounts.reduce((sum, account) => sum + (held.get(keyOf(account)) ?? 0n), 0n);
    if (units >= least) continue;
    const where = accounts.length === 1 ? '' : ` in ${accounts.length} accounts`;
    return {
      row: `address ${address}`,
      says: `holds ${units} of ${token}${where}, and its deposits and sweeps leave ${least}`,
    };
  }
  return null;
}

/** An account that was opened again may be one of several owners, and of several tokens. */
const keyOf = ({ account, token, owner = '' }: FundsAccount): string => [account, token, owner].join();

async function unitsIn(
  { client, finalHeight }: AuditedAccountChain,
  accounts: readonly FundsAccount[],
): Promise<ReadonlyMap<string, bigint>> {
  const held = new Map<string, bigint>();
  for (let from = 0; from < accounts.length; from += client.accountsPerRequest) {
    const some = accounts.slice(from, from + client.accountsPerRequest);
    const { units } = await client.balancesOf(some, finalHeight);
    for (const [place, account] of some.entries()) held.set(keyOf(account), units[place] ?? 0n);
  }
  return held;
}

async function expectedOf(
  { client, tokens }: AuditedAccountChain,
  { addressKey: address, expected }: AddressRow,
  others: readonly Required<FundsAccount>[],
): Promise<readonly Expected[]> {
  if (expected === null) return [];
  const accounts = [...(await client.accountsOf(address, tokens)), ...others.filter(({ owner }) => owner === address)];
  return [...Map.groupBy(accounts, ({ token }) => token)].flatMap(([token, ofToken]) => {
    const [least] = expected[token] ?? [];
    return least === undefined ? [] : [{ address, token, least: BigInt(least), accounts: ofToken }];
  });
}
