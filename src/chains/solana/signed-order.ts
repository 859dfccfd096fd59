import { NATIVE_COIN } from '../../domain/network.js';
import { SignedMismatch } from '../../domain/signed-mismatch.js';
import { checkSignedMoves } from './signed-moves-check.js';
import { type DecodedTransaction, decodeTransaction } from './transaction-decoder.js';
import type { FundsMove, SignedMoves, UnsignedMoves } from './unsigned-moves.js';

/** A payment as its row orders it. */
export interface OrderedPayment {
  readonly token: string;
  readonly amount: string;
  readonly recipient: string;
}

/** Where the instructions of limit and price carry their number. */
const BUDGET_OFFSET = 1;

/**
 * Returns how signed bytes contradict their record or the payment that was ordered, as the end of a sentence; null when
 * they do not. Fees and blockhash are not ordered, so they are taken from the bytes.
 */
export function contradictionInMoves(
  { raw, txHash, sender }: SignedMoves & { readonly sender: string },
  payment: OrderedPayment | null,
): string | null {
  const decoded = readBytes(raw);
  if (decoded === null) return 'holds bytes that are no transaction';
  if (payment === null) return 'does what nothing ordered';
  const unsigned = unsignedOf(decoded, sender, payment);
  if (unsigned === null) return 'does what nothing ordered';
  try {
    checkSignedMoves({ raw, txHash }, unsigned);
    return null;
  } catch (error) {
    if (!(error instanceof SignedMismatch)) throw error;
    const isItself = !['payer', 'signature', 'txHash', 'raw'].includes(error.field);
    return isItself ? 'does what nothing ordered' : 'holds the bytes of another transaction';
  }
}

/** Bytes that cannot be read must not end an audit. */
function readBytes(raw: string): DecodedTransaction | null {
  try {
    return decodeTransaction(Buffer.from(raw, 'base64'));
  } catch {
    return null;
  }
}

/** Returns the transaction that the payment leads to with the fees of the bytes; null when they state none. */
function unsignedOf(
  { blockhash, instructions }: DecodedTransaction,
  payer: string,
  { token, amount, recipient: to }: OrderedPayment,
): UnsignedMoves | null {
  const [limit, price] = instructions;
  const last = instructions.at(-1)?.data;
  if (limit?.data.length !== 5 || price?.data.length !== 9 || last === undefined || last.length === 0) return null;
  const paid = { from: payer, to, amount: BigInt(amount) };
  const move: FundsMove =
    token === NATIVE_COIN
      ? { kind: 'coin', ...paid }
      : // The chain refuses a payment with other decimals than those of its mint.
        { kind: 'token', ...paid, token, decimals: last.readUInt8(last.length - 1), opensAccount: true };
  return {
    payer,
    moves: [move],
    blockhash,
    computeUnitLimit: limit.data.readUInt32LE(BUDGET_OFFSET),
    computeUnitPrice: price.data.readBigUInt64LE(BUDGET_OFFSET),
  };
}
