import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery, type Kysely } from 'kysely';
import { Database } from '../../src/platform/database/database.js';
import type { SqlParameter } from '../../src/platform/sql/sql.js';

/** What makes a row due now: a column of milliseconds rounds `now()`, half of the time to a moment that lies ahead. */
export const FLOORED_NOW = `date_trunc('milliseconds', now())`;

/**
 * Runs a statement that is given as text, in the entity manager's transaction or on the pool. Rows come as pg delivers them.
 * For tests alone: they also look at rows, and break rules, in ways that no statement of the service may.
 */
export async function query<Row>(
  on: Database | EntityManager,
  text: string,
  parameters: readonly SqlParameter[] = [],
): Promise<Row[]> {
  const em = on instanceof Database ? on.em() : on;
  const client: Pick<Kysely<unknown>, 'executeQuery'> = em.getTransactionContext() ?? em.getConnection().getClient();
  const { rows } = await client.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]));
  return rows;
}

/** The same for a statement that returns one row. @throws Error when it returns none */
export async function queryOne<Row>(
  on: Database | EntityManager,
  text: string,
  parameters: readonly SqlParameter[] = [],
): Promise<Row> {
  const [row] = await query<Row>(on, text, parameters);
  if (row === undefined) throw new Error(`Statement returned no row: ${text.slice(0, 80)}`);
  return row;
}
