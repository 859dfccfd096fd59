import type { PlannedPayment } from '../expiring.js';
import type { UnsignedMoves } from './unsigned-moves.js';

/** Returns the moves of a transaction that was planned here. Throws for one of another family. */
export function movesOf({ unsigned }: PlannedPayment): UnsignedMoves {
  if (unsigned.family !== 'solana') throw new TypeError(`A transaction of ${unsigned.family} is none of solana.`);
  return unsigned;
}
