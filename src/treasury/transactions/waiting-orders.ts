import { type Database, sql, type Tx } from '../../platform/database/database.js';
import type { TransactionPurpose } from './transaction-order.js';

/** A table whose rows wait for a signature, in SQL. */
export interface WaitingTable {
  readonly table: string;
  /** The purpose of a row's transaction, and the id of its order. */
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

/** A row that waits for its signature. */
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
  { table, isOpen, chainRef, hasReason, isBeingSimulated }: WaitingTable,
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

/** The order behind a row, and its chain. */
interface OrderReference {
  readonly purpose: TransactionPurpose;
  readonly purposeId: string;
  readonly chainRef: string;
}

/** Returns the order behind a row; null when there is no such row. */
export async function orderBehind(
  tx: Tx,
  { table, purpose, purposeId, chainRef }: WaitingTable,
  id: string,
): Promise<OrderReference | null> {
  const [order] = await sql<OrderReference>(
    tx,
    `select ${purpose} as purpose, ${purposeId} as "purposeId", ${chainRef} as "chainRef" from ${table} where id = $1`,
    [id],
  );
  return order ?? null;
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
