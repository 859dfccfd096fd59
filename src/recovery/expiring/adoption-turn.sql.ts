import { sql } from '../../platform/sql/sql.js';

/** Waits until no other operator adopts on this chain, until the end of the transaction. */
export const takeAdoptionTurn = (chainRef: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`coffer:adoption:${chainRef}`}, 0))`;
