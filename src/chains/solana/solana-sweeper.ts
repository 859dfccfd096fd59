import { isDeepStrictEqual } from 'node:util';
import { NATIVE_COIN } from '../../domain/network.js';
import { SignedMismatch } from '../../domain/signed-mismatch.js';
import type { PaymentConditions } from '../expiring.js';
import type { ExpiringSweeper, PlannedSweep, SweepFee, SweepSource, SweepTarget } from '../expiring-sweeps.js';
import { fitsIntoTransaction } from './moves-message.js';
import { readConditions } from './payment-conditions.js';
import {
  checkTerms,
  expiryIn,
  highestLimit,
  numberedLimit,
  PRICE_MAX,
  priceOf,
  priorityFee,
  RENT_HEADROOM,
} from './payment-fee.js';
import { movesOf } from './planned-moves.js';
import { checkSignedMoves } from './signed-moves-check.js';
import type { SignedBytes } from '../expiring-transaction.js';
import { type FundsMove, sourceOf, type UnsignedMoves } from './unsigned-moves.js';

/** What moves need at most, in compute units, and the instructions of limit and price. */
const UNITS = { coin: 500, token: 10_000, close: 5_000, opening: 100_000 } as const;
const UNITS_OF_LIMITS = 500;

/** What the largest transactions have: eight addresses and the hot wallet sign, or nine accounts are emptied and closed. */
const SIGNATURES_MAX = 9n;
const UNITS_MAX = UNITS_OF_LIMITS + 9 * (UNITS.token + UNITS.close);

/**
 * Plans sweeps on solana: several deposit addresses in one transaction, whose fee the hot wallet pays. It is atomic: one
 * frozen account, or one that received funds before it is closed, fails all of it, and nothing but the fee is lost.
 */
export class SolanaSweeper implements ExpiringSweeper {
  expectedCost(at: PaymentConditions): bigint {
    const conditions = readConditions(at);
    const limit = highestLimit(UNITS_OF_LIMITS + UNITS.token + UNITS.close);
    return 2n * conditions.lamportsPerSignature + priorityFee(limit, priceOf('standard', conditions));
  }

  highestCost(at: PaymentConditions): bigint {
    const { lamportsPerSignature } = readConditions(at);
    return SIGNATURES_MAX * lamportsPerSignature + priorityFee(highestLimit(UNITS_MAX), PRICE_MAX);
  }

  plan(
    target: SweepTarget,
    sources: readonly SweepSource[],
    { strategy, sequence }: SweepFee,
    at: PaymentConditions,
  ): PlannedSweep<UnsignedMoves> {
    const conditions = readConditions(at);
    const price = priceOf(strategy, conditions);
    const sweepOf = (some: readonly SweepSource[]): UnsignedMoves => {
      const moves = movesInto(target, some);
      const computeUnitLimit = numberedLimit(unitsOf(moves), sequence);
      const { blockhash } = conditions;
      return {
        family: 'solana',
        payer: target.hotWallet,
        moves,
        blockhash,
        computeUnitLimit,
        computeUnitPrice: price,
      };
    };
    const fitting = fittingSources(sources, sweepOf);
    if (fitting.length === 0) throw new RangeError('No source of the sweep fits into a transaction.');
    const unsigned = sweepOf(fitting);
    const signatures = new Set([target.hotWallet, ...unsigned.moves.map(({ from }) => from)]).size;
    const fee = BigInt(signatures) * conditions.lamportsPerSignature + priorityFee(unsigned.computeUnitLimit, price);
    const rent = RENT_HEADROOM * BigInt(unsigned.moves.filter(isOpening).length) * conditions.rentOfTokenAccount;
    const terms = { limit: BigInt(unsigned.computeUnitLimit), price };
    return { unsigned, fee: terms, sources: fitting, expiry: expiryIn(conditions), costMax: fee + rent };
  }

  check(signed: SignedBytes, planned: PlannedSweep, target: SweepTarget): void {
    const unsigned = movesOf(planned);
    checkSignedMoves(signed, unsigned);
    if (unsigned.payer !== target.hotWallet) throw new SignedMismatch('payer');
    if (!isDeepStrictEqual(unsigned.moves, movesInto(target, planned.sources))) throw new SignedMismatch('moves');
    checkTerms(unsigned, unitsOf(unsigned.moves), planned);
  }
}

function fittingSources(
  sources: readonly SweepSource[],
  sweepOf: (some: readonly SweepSource[]) => UnsignedMoves,
): readonly SweepSource[] {
  let count = 0;
  while (count < sources.length && fitsIntoTransaction(sweepOf(sources.slice(0, count + 1)))) count += 1;
  return sources.slice(0, count);
}

function movesInto(
  { hotWallet: to, missingAccounts }: SweepTarget,
  sources: readonly SweepSource[],
): readonly FundsMove[] {
  const missing = new Set(missingAccounts);
  return sources.flatMap(({ owner: from, funds }) =>
    funds.flatMap(({ token, account, decimals, amount, closesAccount }): readonly FundsMove[] => {
      if (token === NATIVE_COIN) return [{ kind: 'coin', from, to, amount }];
      // Only the first move of a token opens the account.
      const opensAccount = amount > 0n && missing.delete(token);
      const source = sourceOf(account);
      const transfer: FundsMove = { kind: 'token', from, to, token, ...source, decimals, amount, opensAccount };
      return [
        ...(amount > 0n ? [transfer] : []),
        ...(closesAccount ? [{ kind: 'close' as const, from, token, ...source, to }] : []),
      ];
    }),
  );
}

const isOpening = (move: FundsMove): boolean => move.kind === 'token' && move.opensAccount;

const unitsOf = (moves: readonly FundsMove[]): number =>
  moves.reduce((sum, move) => sum + UNITS[move.kind] + (isOpening(move) ? UNITS.opening : 0), UNITS_OF_LIMITS);
