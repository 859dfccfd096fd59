import type { StakeMove } from '../../chains/stake-move.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { SWEEP_WAITING_REASONS } from '../sweeps/sweep-waiting.js';
import type { findOrder } from './stake-orders.sql.js';

/** An order to stake, as operators see it. */
export interface StakeOrderView {
  readonly id: string;
  readonly move: StakeMove['kind'];
  /** Smallest units; 0 for a withdrawal. */
  readonly amount: bigint;
  readonly createdAt: Date;
  /** Null while it is open. */
  readonly succeeded: boolean | null;
  /** How far it is, or how it ended, as a sentence. */
  readonly standing: string;
}

/** Returns an order as operators see it. */
export const stakeView = (row: RowOf<typeof findOrder>): StakeOrderView => ({
  id: row.id,
  move: row.move,
  amount: BigInt(row.amount),
  createdAt: new Date(row.createdAt),
  succeeded: row.succeeded,
  standing: standingOf(row),
});

function standingOf({ succeeded, status, txHash, isSigned, isSent, waitingReason }: RowOf<typeof findOrder>): string {
  if (succeeded === true) return `It is final: ${txHash}.`;
  if (succeeded === false) return ENDED[status ?? 'unsigned'] ?? 'It failed on the chain, and changed nothing.';
  if (isSent) return 'A node has taken it, and it is not final yet.';
  if (isSigned) return 'It is signed, and no node has taken it yet.';
  return waitingReason === null ? 'No open vault has checked it yet.' : SWEEP_WAITING_REASONS[waitingReason];
}

/** By the status of its transaction. */
const ENDED: Readonly<Record<string, string>> = {
  unsigned: 'It ended before it was signed, and changed nothing.',
  expired: 'It has expired without a block, and changed nothing: order it again.',
  abandoned: 'Its chain was replaced.',
};
