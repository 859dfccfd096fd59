import type { Client, QueryResultRow } from 'pg';
import { compiled, type Statement } from './sql.js';

/** Runs a statement on a connection of pg itself, where there is no entity manager yet, and returns its rows. */
export async function rowsOn<Row>(client: Client, statement: Statement<Row>): Promise<Row[]> {
  const { text, values } = compiled(statement);
  const { rows } = await client.query<Row & QueryResultRow>(text, [...values]);
  return rows;
}
