import { isDeepStrictEqual } from 'node:util';
import { mulDivUp } from '../../domain/money.js';
import { NATIVE_COIN } from '../../domain/network.js';
import type { FeeStrategy } from '../../domain/outgoing-payment.js';
import { SignedMismatch } from '../../domain/signed-mismatch.js';
import type { ExpiringPayer, ExpiringPayment, PaymentConditions, PlannedPayment } from '../expiring.js';
import { readConditions, type SolanaConditions } from './payment-conditions.js';
import { checkSignedMoves } from './signed-moves-check.js';
import type { FundsMove, SignedMoves, UnsignedMoves } from './unsigned-moves.js';

/** The limit of compute units says which of several equal payments one is: their number is added to it. */
const SEQUENCES = 4_096;
/**
 * What a payment of the coin needs is 450 units. One of a token that opens an account needs up to 30,000, and 1,500 more for
 * each number that does not give an address of the account: 40 such numbers in a row are one of 10^12.
 */
const UNITS_OF_COIN_PAYMENT = 1_000;
const UNITS_OF_TOKEN_PAYMENT = 100_000;

const MICRO_LAMPORTS = 1_000_000n;
/** Millionths of a lamport for one compute unit. Below, a full block leaves payments out; above, they wait. */
const PRICE_MIN: Readonly<Record<FeeStrategy, bigint>> = { standard: 20_000n, fast: 100_000n };
const PRICE_MAX = 5_000_000n;

/** The cluster may raise the rent before a payment is mined: by 1.4 times, if it returns to the rate of before 2026. */
const RENT_HEADROOM = 2n;

/** Blocks of 150 to 400 ms: a blockhash lives for 30 s and more, of which most must be left. */
const SIGNABLE_FOR_SECONDS = 10;

/** Plans and checks payments on solana: https://solana.com/docs/core/transactions */
export class SolanaPayer implements ExpiringPayer {
  readonly signableForSeconds = SIGNABLE_FOR_SECONDS;

  expectedCost(token: string, strategy: FeeStrategy, opensAccount: boolean | null, at: PaymentConditions): bigint {
    const conditions = readConditions(at);
    const limit = unitsOf(token) + SEQUENCES - 1;
    const rent = opensAccount === false ? 0n : rentOf(token, conditions);
    return conditions.lamportsPerSignature + priorityFee(limit, priceOf(strategy, conditions)) + rent;
  }

  leastCoin(at: PaymentConditions): bigint {
    return readConditions(at).rentOfWallet;
  }

  plan(payment: ExpiringPayment, strategy: FeeStrategy, sequence: number, at: PaymentConditions): PlannedPayment {
    const conditions = readConditions(at);
    const { slot, blockhash, lastValidBlockHeight, lamportsPerSignature } = conditions;
    const computeUnitLimit = unitsOf(payment.token) + (sequence % SEQUENCES);
    const computeUnitPrice = priceOf(strategy, conditions);
    const fee = lamportsPerSignature + priorityFee(computeUnitLimit, computeUnitPrice);
    return {
      unsigned: { payer: payment.sender, moves: [moveOf(payment)], blockhash, computeUnitLimit, computeUnitPrice },
      expiry: { after: { height: slot, hash: blockhash }, until: lastValidBlockHeight + 1 },
      costMax: fee + RENT_HEADROOM * rentOf(payment.token, conditions),
    };
  }

  check(signed: SignedMoves, { unsigned, expiry, costMax }: PlannedPayment, payment: ExpiringPayment): void {
    checkSignedMoves(signed, unsigned);
    const fault = faultOf(unsigned, payment);
    if (fault !== null) throw new SignedMismatch(fault);
    if (expiry.after.hash !== unsigned.blockhash) throw new SignedMismatch('expiry');
    if (priorityFee(unsigned.computeUnitLimit, unsigned.computeUnitPrice) >= costMax)
      throw new SignedMismatch('costMax');
  }
}

const moveOf = ({ sender: from, recipient: to, token, decimals, amount }: ExpiringPayment): FundsMove =>
  token === NATIVE_COIN
    ? { kind: 'coin', from, to, amount }
    : { kind: 'token', from, to, token, decimals, amount, opensAccount: true };

/** Returns the part of a plan that the payment could not have led to. */
function faultOf(
  { payer, moves, computeUnitLimit, computeUnitPrice }: UnsignedMoves,
  payment: ExpiringPayment,
): keyof UnsignedMoves | null {
  const sequence = computeUnitLimit - unitsOf(payment.token);
  if (payer !== payment.sender) return 'payer';
  if (!isDeepStrictEqual(moves, [moveOf(payment)])) return 'moves';
  if (sequence < 0 || sequence >= SEQUENCES) return 'computeUnitLimit';
  return computeUnitPrice > PRICE_MAX ? 'computeUnitPrice' : null;
}

const unitsOf = (token: string): number => (token === NATIVE_COIN ? UNITS_OF_COIN_PAYMENT : UNITS_OF_TOKEN_PAYMENT);

const rentOf = (token: string, { rentOfTokenAccount }: SolanaConditions): bigint =>
  token === NATIVE_COIN ? 0n : rentOfTokenAccount;

/** The chain rounds up. */
const priorityFee = (limit: number, price: bigint): bigint => mulDivUp(BigInt(limit), price, MICRO_LAMPORTS);

function priceOf(strategy: FeeStrategy, { priceStandard, priceFast }: SolanaConditions): bigint {
  const paid = strategy === 'fast' ? priceFast : priceStandard;
  const least = paid > PRICE_MIN[strategy] ? paid : PRICE_MIN[strategy];
  return least < PRICE_MAX ? least : PRICE_MAX;
}
