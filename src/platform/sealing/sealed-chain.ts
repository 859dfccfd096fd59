import { BEFORE_FIRST_LINK } from '../../domain/hash-chain.js';
import { type Database, rows, type Tx } from '../database/database.js';
import type { Statement } from '../sql/sql.js';

const BATCH = 1_000;

/** A row in the queue of a chain. */
interface WaitingRow {
  /** It has a seal, and was put into the queue again. */
  readonly isSealed: boolean;
}

/** A row at its place in the chain. */
interface Placed {
  /** From 1, without gaps. */
  readonly sequence: number;
}

/** A hash chain over committed rows: its statements, and what its hash covers. */
export interface SealedChain<Row extends WaitingRow, Link extends Placed> {
  /** Waits until no other process seals. It is a statement of its own, so that the next ones see what the other has written. */
  readonly takeTurn: Statement<unknown>;
  /** Reads the oldest rows of the queue. */
  readonly waiting: (limit: number) => Statement<Row>;
  readonly last: Statement<Readonly<Record<'sequence' | 'hash', string>>>;
  readonly linkOf: (row: Row, sequence: number) => Link;
  readonly hashOf: (previous: string, link: Link) => string;
  readonly append: (seals: readonly (Link & { readonly hash: string })[]) => Statement<unknown>;
  readonly remove: (waiting: readonly Row[]) => Statement<unknown>;
}

/**
 * Seals the rows that wait, in batches, and returns how many did. Any number of processes may call it: they take turns. A row
 * that commits late is sealed behind the ones before it, so that no writer waits for a place in the chain.
 */
export async function sealWaiting<Row extends WaitingRow, Link extends Placed>(
  database: Database,
  chain: SealedChain<Row, Link>,
): Promise<number> {
  if ((await database.rows(chain.waiting(1))).length === 0) return 0;
  let total = 0;
  for (;;) {
    const sealed = await database.transaction((tx) => sealBatch(tx, chain));
    total += sealed;
    if (sealed < BATCH) return total;
  }
}

async function sealBatch<Row extends WaitingRow, Link extends Placed>(
  tx: Tx,
  chain: SealedChain<Row, Link>,
): Promise<number> {
  await rows(tx, chain.takeTurn);
  const waiting = await rows(tx, chain.waiting(BATCH));
  if (waiting.length === 0) return 0;
  const [last] = await rows(tx, chain.last);
  let { sequence, hash } = { sequence: Number(last?.sequence ?? 0), hash: last?.hash ?? BEFORE_FIRST_LINK };
  const seals = waiting
    .filter(({ isSealed }) => !isSealed)
    .map((row) => {
      sequence += 1;
      const link = chain.linkOf(row, sequence);
      hash = chain.hashOf(hash, link);
      return { ...link, hash };
    });
  await rows(tx, chain.append(seals));
  await rows(tx, chain.remove(waiting));
  return waiting.length;
}
