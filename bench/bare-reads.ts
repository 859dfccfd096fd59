import type { Pool, PoolClient } from 'pg';
import * as statements from './bare-statements.ts';
import { filled, filledForAll, type Template } from './templates.ts';

const CACHED_MS = 500;

export type Row = Record<string, unknown>;
export type Statement = { readonly name: string; readonly text: string };

/** The effect of a write inside its transaction; returns the object of the answer. */
export type Effect = (client: PoolClient, merchantId: string) => Promise<Row>;

/** Runs a statement and returns its first row. */
export async function one(client: Pool | PoolClient, statement: Statement, values: unknown[]): Promise<Row> {
  const { rows } = await client.query<Row>({ ...statement, values });
  return rows[0] ?? {};
}

/** Runs a statement of the service with these values, and returns its first row. */
export async function run(
  client: Pool | PoolClient,
  statement: Template,
  values: Readonly<Record<string, unknown>>,
): Promise<Row> {
  const { rows } = await client.query<Row>(filled(statement, values));
  return rows[0] ?? {};
}

/** Runs a statement of the service over several rows of values, and returns its rows. */
export async function runForAll(client: PoolClient, statement: Template, values: readonly Row[]): Promise<Row[]> {
  const { rows } = await client.query<Row>(filledForAll(statement, values));
  return rows;
}

/**
 * Reads again when the cached value is older than that, as the service does. A caller with a connection passes it: waiting
 * for a second one would deadlock once all connections belong to such callers.
 */
export function cached(
  statement: Statement,
  forMs = CACHED_MS,
): (client: Pool | PoolClient, ...values: string[]) => Promise<Row> {
  const known = new Map<string, { at: number; row: Promise<Row> }>();
  return (client, ...values) => {
    const key = values.join('/');
    const found = known.get(key);
    if (found !== undefined && performance.now() - found.at < forMs) return found.row;
    const row = one(client, statement, values);
    known.set(key, { at: performance.now(), row });
    return row;
  };
}

export const chainOf = cached(statements.CHAIN);
export const priceRoundOf = cached(statements.PRICE_ROUND);
