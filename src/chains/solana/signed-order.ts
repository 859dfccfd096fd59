import type { OrderedPayment } from '../ordered-payment.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { SignedMismatch } from '../../domain/signed-mismatch.js';
import { isSentBy } from './sent-bytes.js';
import { checkSignedMoves } from './signed-moves-check.js';
import { type DecodedTransaction, decodeTransaction } from './transaction-decoder.js';
import type { SignedBytes } from '../expiring-transaction.js';
import { type FundsMove, sourceOf, type UnsignedMoves } from './unsigned-moves.js';

/** A balance that a sweep moves to the hot wallet, in its order. */
export interface OrderedSweepItem {
  readonly deposit: string;
  readonly token: string;
  /** The account of the address that it empties; null for the associated one. */
  readonly account: string | null;
  readonly decimals: number;
  readonly amount: string;
  /** Whether it opens the hot wallet's account of the token first, and closes its own afterwards. */
  readonly opens: boolean | null;
  readonly closes: boolean | null;
}

/** The order behind a transaction: a payment or a sweep; or a loss, which was ordered by no one. */
export interface OrderedMoves {
  readonly payment: OrderedPayment | null;
  readonly sweep: { readonly items: readonly OrderedSweepItem[] } | null;
  readonly loss: object | null;
}

/** Where the instructions of limit and price carry their number. */
const BUDGET_OFFSET = 1;

/**
 * Returns how signed bytes contradict their record or its order, as the end of a sentence; null when they do not. Fees and blockhash are not ordered, so they are taken from the bytes.
 */
export function contradictionInMoves(
  { raw, txHash, sender }: SignedBytes & { readonly sender: string },
  order: OrderedMoves,
): string | null {
  if (order.loss !== null) {
    return isSentBy({ raw, txHash }, sender) ? null : 'holds bytes that its sender has not signed';
  }
  const decoded = readBytes(raw);
  if (decoded === null) return 'holds bytes that are no transaction';
  const unsigned = unsignedOf(decoded, sender, order);
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

/** Returns the transaction that the order leads to with the fees of the bytes; null when there is no order, or no fee. */
function unsignedOf(
  { blockhash, instructions }: DecodedTransaction,
  payer: string,
  { payment, sweep }: OrderedMoves,
): UnsignedMoves | null {
  const [limit, price] = instructions;
  const last = instructions.at(-1)?.data;
  if (limit?.data.length !== 5 || price?.data.length !== 9 || last === undefined || last.length === 0) return null;
  // The chain refuses a payment with other decimals than those of its mint.
  const decimals = last.readUInt8(last.length - 1);
  const moves = payment === null ? sweptBy(payer, sweep?.items ?? []) : [paidBy(payer, payment, decimals)];
  if (moves.length === 0) return null;
  return {
    family: 'solana',
    payer,
    moves,
    blockhash,
    computeUnitLimit: limit.data.readUInt32LE(BUDGET_OFFSET),
    computeUnitPrice: price.data.readBigUInt64LE(BUDGET_OFFSET),
  };
}

function paidBy(from: string, { token, amount, recipient: to }: OrderedPayment, decimals: number): FundsMove {
  const paid = { from, to, amount: BigInt(amount) };
  return token === NATIVE_COIN
    ? { kind: 'coin', ...paid }
    : { kind: 'token', ...paid, token, decimals, opensAccount: true };
}

function sweptBy(to: string, items: readonly OrderedSweepItem[]): readonly FundsMove[] {
  return items.flatMap((item): readonly FundsMove[] => {
    const { deposit: from, token, account, decimals, amount: text, opens, closes } = item;
    const amount = BigInt(text);
    if (token === NATIVE_COIN) return [{ kind: 'coin', from, to, amount }];
    const funds = { from, to, token, ...sourceOf(account) };
    const transfer: FundsMove = { kind: 'token', ...funds, decimals, amount, opensAccount: opens === true };
    return [...(amount > 0n ? [transfer] : []), ...(closes === true ? [{ kind: 'close', ...funds } as const] : [])];
  });
}
