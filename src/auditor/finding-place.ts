import type { Environment } from '../domain/network.js';
import { type Tx, sql } from '../platform/database/database.js';
import type { NewFinding } from './audit-findings.js';
import { FUNDS_ARE_PRESENT } from './checks/hot-wallet-checks.js';
import { SEALS_HOLD, UNSEALED_CHECK } from './checks/seal-check.js';

/** The hot wallets to freeze for a finding: of one chain, of one environment, or all (both null). */
export interface FindingPlace {
  readonly chainRef: string | null;
  readonly environment: Environment | null;
}

const EVERYWHERE: FindingPlace = { chainRef: null, environment: null };

/** A broken hash chain means that somebody bypassed the guards, possibly in any environment. */
const OF_ALL_BOOKS: readonly string[] = [SEALS_HOLD.name, UNSEALED_CHECK.name];

/** SQL by table: the environment of the row with the id $1. */
const ENVIRONMENTS: Readonly<Record<string, string>> = {
  account: `select environment from account where id::text = $1`,
  entry: `select distinct environment from posting where entry_id = $1`,
  posting: `select environment from posting where id::text = $1`,
  pool_address: `select environment from pool_address where id::text = $1`,
  ...ofTables(['pocket', 'payment_intent', 'withdrawal'], (table) => `select environment from ${table} where id = $1`),
  ...ofTables(['deposit', 'sweep', 'top_up', 'shortage', 'chain_transaction'], byChain),
  deposit_return: `
    select chain.environment from deposit_return join deposit on deposit.id = deposit_id
      join chain on chain.id = deposit.chain_ref where deposit_return.id = $1`,
  transaction_attempt: byChain('chain_transaction'),
  // Rows whose id is their chain.
  ...ofTables(['hot_wallet', 'stocktaking', 'deposit_balance'], () => `select environment from chain where id = $1`),
};

function ofTables(tables: readonly string[], statement: (table: string) => string): Record<string, string> {
  return Object.fromEntries(tables.map((table) => [table, statement(table)]));
}

function byChain(table: string): string {
  return `select environment from ${table} row join chain on chain.id = row.chain_ref where row.id = $1`;
}

/**
 * Returns the place of a finding: the chain for funds that are missing from a hot wallet, otherwise the environment of the
 * row, or everywhere when the row does not show it.
 */
export async function placeOf(tx: Tx, { check, row }: NewFinding): Promise<FindingPlace> {
  const [table = '', ...name] = row.split(' ');
  const [id = ''] = name.join(' ').split('/');
  if (check === FUNDS_ARE_PRESENT && table === 'stocktaking') return { chainRef: id, environment: null };
  const statement = ENVIRONMENTS[table];
  if (statement === undefined || OF_ALL_BOOKS.includes(check)) return EVERYWHERE;
  const [found, other] = await sql<{ environment: Environment }>(tx, statement, [id]);
  return found === undefined || other !== undefined ? EVERYWHERE : { chainRef: null, environment: found.environment };
}
