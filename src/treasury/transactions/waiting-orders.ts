import { type Database, sql, type Tx } from '../../platform/database/database.js';
import type { TransactionPurpose } from './transaction-order.js';

/** The rows of a table that wait for a signature, in SQL. */
export interface WaitingOrders {
  readonly table: string;
  /** The purpose of its transaction, and the id of the order. */
  readonly purpose: string;
  readonly purposeId: string;
  /** Whether the row waits. */
  readonly isOpen: string;
  /** The chain on which it is signed. */
  readonly chainRef: string;
  /** Whether its waiting reason is recorded. */
  readonly hasReason: string;
  /** Whether the worker has to simulate it first. */
  readonly isBeingSimulated: string;
}

/** An order that waits for its signature. */
export interface WaitingOrder {
  readonly id: string;
  readonly created_at: string;
  readonly chain_ref: string;
  readonly has_reason: boolean;
  readonly is_being_simulated: boolean;
}

/** The start of a page, and the orders that it leaves out. */
interface PageOf {
  /** The last order of the previous page; null for the first page. */
  readonly after: WaitingOrder | null;
  /** Chains of which only orders without a reason are read. */
  readonly heldUp: readonly string[];
  readonly limit: number;
}

/** Returns one page of waiting orders, the oldest first. */
export function readWaiting(
  database: Database,
  { table, isOpen, chainRef, hasReason, isBeingSimulated }: WaitingOrders,
  { after, heldUp, limit }: PageOf,
): Promise<WaitingOrder[]> {
  return database.query<WaitingOrder>(
    `select id, created_at, ${chainRef} as chain_ref, ${hasReason} as has_reason,
            ${isBeingSimulated} as is_being_simulated
       from ${table}
      where ${isOpen} and (created_at, id) > ($1, $2) and (${chainRef} <> all($3) or not ${hasReason})
      order by created_at, id limit $4`,
    [after === null ? new Date(0) : new Date(after.created_at), after?.id ?? '', heldUp, limit],
  );
}

/** The order of a transaction to sign, and its chain. */
export interface SigningPlace {
  readonly purpose: TransactionPurpose;
  readonly purposeId: string;
  readonly chainRef: string;
}

/** Returns the order and the chain of a row; null when there is no such row. */
export async function placeOf(
  tx: Tx,
  { table, purpose, purposeId, chainRef }: WaitingOrders,
  id: string,
): Promise<SigningPlace | null> {
  const [place] = await sql<SigningPlace>(
    tx,
    `select ${purpose} as purpose, ${purposeId} as "purposeId", ${chainRef} as "chainRef" from ${table} where id = $1`,
    [id],
  );
  return place ?? null;
}

/** Records why orders of a table wait, by their ids. Returns the ids of those whose reason changed. */
export async function recordWaiting(
  tx: Tx,
  table: 'deposit_return' | 'sweep' | 'sweep_contract',
  reasons: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const changed = await sql<{ id: string }>(
    tx,
    `update ${table} set waiting_reason = waiting.reason from unnest($1::text[], $2::text[]) as waiting (id, reason)
      where ${table}.id = waiting.id and waiting_reason is distinct from waiting.reason returning ${table}.id`,
    [[...reasons.keys()], [...reasons.values()]],
  );
  return changed.map(({ id }) => id);
}
