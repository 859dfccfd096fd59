import type { EntityManager } from '@mikro-orm/postgresql';
import type { Environment } from '../domain/network.js';
import { rows, type Tx } from '../platform/database/database.js';
import type { NewFinding } from './audit-findings.js';
import { FUNDS_ARE_PRESENT } from './checks/hot-wallet-checks.sql.js';
import { ACTION_CHAIN, UNSEALED_ACTIONS_CHECK } from './checks/audit-seal-check.js';
import { ENTRY_CHAIN, UNSEALED_CHECK } from './checks/seal-check.js';
import { ENVIRONMENTS } from './finding-place.sql.js';

/** The hot wallets to freeze for a finding: of one chain, of one environment, or all (both null). */
export interface FindingPlace {
  readonly chainRef: string | null;
  readonly environment: Environment | null;
}

/** A broken hash chain means that somebody bypassed the guards, possibly in any environment. */
const OF_ALL_BOOKS: readonly string[] = [ENTRY_CHAIN, UNSEALED_CHECK, ACTION_CHAIN, UNSEALED_ACTIONS_CHECK].map(
  ({ name }) => name,
);

/** A breach, and the rule that it breaks. */
type Breach = Pick<NewFinding, 'check' | 'row'>;

/**
 * Returns the place of a finding: the chain for funds that are missing from a hot wallet, otherwise the environment of the
 * row, or everywhere when the row does not show it.
 */
export async function placeOf(tx: Tx, breach: Breach): Promise<FindingPlace> {
  const { table, id } = rowNamed(breach);
  if (breach.check === FUNDS_ARE_PRESENT && table === 'stocktaking') return { chainRef: id, environment: null };
  return { chainRef: null, environment: await environmentOf(tx, breach) };
}

/** Returns the environment of a finding; null when it is about all books, or its row does not show it. */
export async function environmentOf(em: EntityManager, breach: Breach): Promise<Environment | null> {
  const { table, id } = rowNamed(breach);
  const findEnvironment = ENVIRONMENTS[table];
  if (findEnvironment === undefined || OF_ALL_BOOKS.includes(breach.check)) return null;
  const [found, other] = await rows(em, findEnvironment(id));
  return found === undefined || other !== undefined ? null : found.environment;
}

function rowNamed({ row }: Breach): { readonly table: string; readonly id: string } {
  const [table = '', ...name] = row.split(' ');
  const [id = ''] = name.join(' ').split('/');
  return { table, id };
}
