import type { FundsAccount } from '../../../chains/accounts.js';
import { addressFamilyOf } from '../../../domain/network.js';
import type { Database } from '../../../platform/database/database.js';
import type { RowOf } from '../../../platform/sql/sql.js';
import type { Finding } from '../../check.js';
import { nextAddresses } from '../chain-balances.sql.js';
import { creditedAccountsOf } from './account-balances.sql.js';
import type { AuditedAccountChain } from './audited-account-chain.js';

const ADDRESSES_AT_ONCE = 500;

type AddressRow = RowOf<typeof nextAddresses>;
type CreditedRow = RowOf<typeof creditedAccountsOf>;

/**
 * Returns the first address with an account that holds less than its final deposits and its sweeps leave there. It may hold
 * more: no past balance can be read, and the listener explains what is more.
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

/** What an account of an address must hold at least. */
interface Expected {
  readonly address: string;
  readonly account: FundsAccount;
  readonly least: bigint;
  /** The address has others of the token. */
  readonly isOneOfSeveral: boolean;
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
    expected.map(({ account }) => account),
  );
  for (const { address, account, least, isOneOfSeveral } of expected) {
    const units = held.get(keyOf(account)) ?? 0n;
    if (units >= least) continue;
    const where = isOneOfSeveral ? ` in account ${account.account}` : '';
    return {
      row: `address ${address}`,
      says: `holds ${units} of ${account.token}${where}, and its deposits and sweeps leave ${least}`,
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
    const balances = await client.balancesOf(some, finalHeight);
    for (const [place, account] of some.entries()) held.set(keyOf(account), balances[place]?.units ?? 0n);
  }
  return held;
}

/** Without deposits of a token, none of its accounts must hold any; while a sweep of one is under way, it may be empty. */
async function expectedOf(
  { client, tokens }: AuditedAccountChain,
  { addressKey: address, expected }: AddressRow,
  credited: readonly CreditedRow[],
): Promise<readonly Expected[]> {
  if (expected === null) return [];
  const ownOthers = credited.filter(({ owner }) => owner === address);
  return (await client.accountsOf(address, tokens)).flatMap((associated) => {
    const [total] = expected[associated.token] ?? [];
    if (total === undefined) return [];
    const others = ownOthers.filter(({ token }) => token === associated.token);
    const elsewhere = others.reduce((sum, { left }) => sum + BigInt(left), 0n);
    const isOneOfSeveral = others.length > 0;
    return [
      { address, account: associated, least: BigInt(total) - elsewhere, isOneOfSeveral },
      ...others.map(({ account, token, owner, left, isMoving }) => ({
        address,
        account: { account, token, owner },
        least: isMoving ? 0n : BigInt(left),
        isOneOfSeveral,
      })),
    ];
  });
}
