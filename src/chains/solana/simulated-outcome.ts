import { z } from 'zod';
import type { ExpiringOutcome } from '../expiring.js';
import { decodeTransaction } from './transaction-decoder.js';
import type { FundsMove } from './unsigned-moves.js';

/** The first instructions set the limit and the price. */
const FIRST_MOVE = 2;
/** "Insufficient funds" of the token program, and "result with negative lamports" of the system program. */
const TOO_LITTLE = 1;
const FROZEN = 0x11;

const errorShape = z.union([
  z.object({
    InstructionError: z.tuple([z.int(), z.union([z.string(), z.looseObject({ Custom: z.int().optional() })])]),
  }),
  z.object({ InsufficientFundsForRent: z.object({ account_index: z.int() }) }),
]);

/** `frozen`: the token's issuer has frozen the account of the sender or of the destination. */
export type SimulatedOutcome = ExpiringOutcome | 'frozen' | null;

/**
 * Reads the outcome of a simulated payment from the place and the number of its error, never from a text. Null where the
 * error says nothing about the destination.
 */
export function simulatedOutcome(err: unknown, move: FundsMove | undefined, raw: string): SimulatedOutcome {
  if (err === null) return 'accepts';
  const { data } = errorShape.safeParse(err);
  if (data === undefined || move === undefined) return null;
  if ('InsufficientFundsForRent' in data) {
    const { keys } = decodeTransaction(Buffer.from(raw, 'base64'));
    return keys[data.InsufficientFundsForRent.account_index] === move.to ? 'rejects' : null;
  }
  const [place, cause] = data.InstructionError;
  const number = typeof cause === 'object' ? cause.Custom : undefined;
  if (place < FIRST_MOVE || number === TOO_LITTLE) return null;
  const isTransferOfToken = move.kind === 'token' && place > FIRST_MOVE;
  // The instruction before has opened the account of the destination, or has found that it is the destination's.
  if (isTransferOfToken) return number === FROZEN ? 'frozen' : null;
  return 'rejects';
}
