import { mulDivUp } from '../../domain/money.js';
import type { FeeStrategy } from '../../domain/outgoing-payment.js';
import { SignedMismatch } from '../../domain/signed-mismatch.js';
import type { Expiry } from '../expiring.js';
import type { SolanaConditions } from './payment-conditions.js';
import type { UnsignedMoves } from './unsigned-moves.js';

/** The limit of compute units says which of several equal transactions one is: its number is added to it. */
export const SEQUENCES = 4_096;

const MICRO_LAMPORTS = 1_000_000n;
/** Millionths of a lamport for one compute unit. Below, full blocks leave a transaction out. */
const PRICE_MIN: Readonly<Record<FeeStrategy, bigint>> = { standard: 20_000n, fast: 100_000n };
/** The highest price that is offered: 0.0005 SOL for each transaction. */
export const PRICE_MAX = 5_000_000n;

/**
 * The cluster may raise the rent before a transaction is mined: by 1.4 times, if it returns to the rate of before 2026.
 */
export const RENT_HEADROOM = 2n;

/** The limit of compute units of transactions that need this many at most, by their number. */
export const numberedLimit = (units: number, sequence: number): number => units + (sequence % SEQUENCES);

/** The highest limit of such transactions. */
export const highestLimit = (units: number): number => units + SEQUENCES - 1;

/** What is offered for a compute unit: what blocks take now, within limits. */
export function priceOf(strategy: FeeStrategy, { priceStandard, priceFast }: SolanaConditions): bigint {
  const paid = strategy === 'fast' ? priceFast : priceStandard;
  const least = paid > PRICE_MIN[strategy] ? paid : PRICE_MIN[strategy];
  return least < PRICE_MAX ? least : PRICE_MAX;
}

/** The price of the whole limit, in lamports. The chain rounds up. */
export const priorityFee = (limit: number, price: bigint): bigint => mulDivUp(BigInt(limit), price, MICRO_LAMPORTS);

/** When a transaction that names the newest block of the conditions can no longer be mined. */
export const expiryIn = ({ slot, blockhash, lastValidBlockHeight }: SolanaConditions): Expiry => {
  return { after: { height: slot, hash: blockhash }, until: lastValidBlockHeight + 1 };
};

/** @throws SignedMismatch unless limit, price and block are those of a transaction that needs this many units */
export function checkTerms(
  { computeUnitLimit, computeUnitPrice, blockhash }: UnsignedMoves,
  units: number,
  { expiry, costMax }: { readonly expiry: Expiry; readonly costMax: bigint },
): void {
  if (computeUnitLimit < units || computeUnitLimit > highestLimit(units)) throw new SignedMismatch('computeUnitLimit');
  if (computeUnitPrice > PRICE_MAX) throw new SignedMismatch('computeUnitPrice');
  if (expiry.after.hash !== blockhash) throw new SignedMismatch('expiry');
  if (priorityFee(computeUnitLimit, computeUnitPrice) >= costMax) throw new SignedMismatch('costMax');
}
