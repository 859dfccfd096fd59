import type { UnsignedMoves } from './solana/unsigned-moves.js';
import type { UnsignedTronTransaction } from './tron/unsigned-transaction.js';

/** A transaction that expires, before it is signed, with everything that its bytes are made of. */
export type UnsignedTransaction = UnsignedMoves | UnsignedTronTransaction;

/** A signed transaction: its id, and its bytes as nodes take them (base64 on solana, hex on tron). */
export interface SignedBytes {
  readonly txHash: string;
  readonly raw: string;
}
