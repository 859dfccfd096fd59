import { isDeepStrictEqual } from 'node:util';
import { NATIVE_COIN } from '../../domain/network.js';
import type { FeeStrategy } from '../../domain/outgoing-payment.js';
import { SignedMismatch } from '../../domain/signed-mismatch.js';
import type { PaymentConditions } from '../expiring.js';
import type { ExpiringSweeper, PlannedSweep, SweepSource, SweepTarget } from '../expiring-sweeps.js';
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
import { checkSignedMoves } from './signed-moves-check.js';
import type { FundsMove, SignedMoves, UnsignedMoves } from './unsigned-moves.js';

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
    { strategy, sequence }: { readonly strategy: FeeStrategy; readonly sequence: number },
    at: PaymentConditions,
  ): PlannedSweep {
    const conditions = readConditions(at);
    const price = priceOf(strategy, conditions);
    const sweepOf = (some: readonly SweepSource[]): UnsignedMoves => {
      const moves = movesOf(some, target);
      const computeUnitLimit = numberedLimit(unitsOf(moves), sequence);
      const { blockhash } = conditions;
      return { payer: target.hotWallet, moves, blockhash, computeUnitLimit, computeUnitPrice: price };
    };
    const fitting = fittingSources(sources, sweepOf);
    if (fitting.length === 0) throw new RangeError('No source of the sweep fits into a transaction.');
    const unsigned = sweepOf(fitting);
    const signatures = new Set([target.hotWallet, ...unsigned.moves.map(({ from }) => from)]).size;
    const fee = BigInt(signatures) * conditions.lamportsPerSignature + priorityFee(unsigned.computeUnitLimit, price);
    const rent = RENT_HEADROOM * BigInt(unsigned.moves.filter(isOpening).length) * conditions.rentOfTokenAccount;
    return { unsigned, sources: fitting, expiry: expiryIn(conditions), costMax: fee + rent };
  }

  check(signed: SignedMoves, planned: PlannedSweep, target: SweepTarget): void {
    const { unsigned, sources } = planned;
    checkSignedMoves(signed, unsigned);
    if (unsigned.payer !== target.hotWallet) throw new SignedMismatch('payer');
    if (!isDeepStrictEqual(unsigned.moves, movesOf(sources, target))) throw new SignedMismatch('moves');
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

function movesOf(
  sources: readonly SweepSource[],
  { hotWallet: to, missingAccounts }: SweepTarget,
): readonly FundsMove[] {
  const missing = new Set(missingAccounts);
  return sources.flatMap(({ owner: from, funds }) =>
    funds.flatMap(({ token, decimals, amount, closesAccount }): readonly FundsMove[] => {
      if (token === NATIVE_COIN) return [{ kind: 'coin', from, to, amount }];
      // Only the first move of a token opens the account.
      const opensAccount = amount > 0n && missing.delete(token);
      const transfer: FundsMove = { kind: 'token', from, to, token, decimals, amount, opensAccount };
      return [
        ...(amount > 0n ? [transfer] : []),
        ...(closesAccount ? [{ kind: 'close' as const, from, token, to }] : []),
      ];
    }),
  );
}

const isOpening = (move: FundsMove): boolean => move.kind === 'token' && move.opensAccount;

const unitsOf = (moves: readonly FundsMove[]): number =>
  moves.reduce((sum, move) => sum + UNITS[move.kind] + (isOpening(move) ? UNITS.opening : 0), UNITS_OF_LIMITS);
