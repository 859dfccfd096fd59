import type { UnsignedMoves } from './solana/unsigned-moves.js';

/** A transaction that expires, before it is signed, with everything that its bytes are made of. */
export type UnsignedTransaction = UnsignedMoves;

/** A signed transaction: its id, and its bytes as nodes take them (base64 on solana). */
export interface SignedBytes {
  readonly txHash: string;
  readonly raw: string;
}
