import { SignedMismatch } from '../../domain/signed-mismatch.js';
import type { Expiry, PlannedPayment } from '../expiring.js';
import type { TronConditions } from './payment-conditions.js';
import type { UnsignedTronTransaction } from './unsigned-transaction.js';

/** Lifetime of a transaction above the head. The catalogue bounds it above the block that the bytes name. */
export const LIFETIME_MS = 90_000;
/** The timestamp says which of several equal transactions one is: it is one of the milliseconds of this time before the head. */
const SEQUENCES = 60_000;
const HEIGHT_DIGITS = 16;

/** The block that a transaction names, its time, and its number among those of its sender. */
interface TransactionTerms extends Pick<UnsignedTronTransaction, 'refBlock' | 'expiration' | 'timestamp'> {
  readonly expiry: Expiry;
}

/** Returns the terms of the transaction with this number, of any kind. */
export function termsIn({ solidHeight, solidHash, headTime }: TronConditions, sequence: number): TransactionTerms {
  const expiration = headTime + LIFETIME_MS;
  return {
    refBlock: solidHash,
    expiration,
    timestamp: headTime - SEQUENCES + (sequence % SEQUENCES),
    expiry: expiryOf(solidHash, solidHeight, expiration),
  };
}

/** Returns the transaction of a plan. Throws for one of another family. */
export function transactionOf({ unsigned }: PlannedPayment): UnsignedTronTransaction {
  if (unsigned.family !== 'tron') throw new TypeError(`A transaction of ${unsigned.family} is none of tron.`);
  return unsigned;
}

/** @throws SignedMismatch unless the plan expires as its bytes say, and costs more than what they may burn for energy */
export function checkTerms(unsigned: UnsignedTronTransaction, { expiry, costMax }: PlannedPayment): void {
  // An id begins with the height: the bytes have its last digits alone, which repeat.
  const height = Number.parseInt(unsigned.refBlock.slice(0, HEIGHT_DIGITS), 16);
  const { after, until } = expiryOf(unsigned.refBlock, height, unsigned.expiration);
  const isSame = expiry.after.hash === after.hash && expiry.after.height === height && expiry.until === until;
  if (!isSame) throw new SignedMismatch('expiry');
  if (unsigned.feeLimit >= costMax) throw new SignedMismatch('costMax');
}

/** A block contains only transactions that expire after the block before it. */
const expiryOf = (hash: string, height: number, expiration: number): Expiry => ({
  after: { height, hash },
  until: expiration - 1,
});
