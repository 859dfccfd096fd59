import { isDeepStrictEqual } from 'node:util';
import { NATIVE_COIN } from '../../domain/network.js';
import type { FeeStrategy } from '../../domain/outgoing-payment.js';
import { SignedMismatch } from '../../domain/signed-mismatch.js';
import type { ExpiringPayer, ExpiringPayment, PaymentConditions, PlannedPayment } from '../expiring.js';
import { readConditions, type SolanaConditions } from './payment-conditions.js';
import {
  checkTerms,
  expiryIn,
  highestLimit,
  numberedLimit,
  priceOf,
  priorityFee,
  RENT_HEADROOM,
} from './payment-fee.js';
import { movesOf } from './planned-moves.js';
import { checkSignedMoves } from './signed-moves-check.js';
import type { SignedBytes } from '../expiring-transaction.js';
import type { FundsMove, UnsignedMoves } from './unsigned-moves.js';

/**
 * What a payment of the coin needs is 450 units. One of a token that opens an account needs up to 30,000, and 1,500 more for
 * each number that does not give an address of the account: 40 such numbers in a row are one of 10^12.
 */
const UNITS_OF_COIN_PAYMENT = 1_000;
const UNITS_OF_TOKEN_PAYMENT = 100_000;

/** A blockhash lives for 150 blocks, which is 30 s or more: most of them must be left. */
const SIGNABLE_FOR_SECONDS = 10;

/** Plans and checks payments on solana: https://solana.com/docs/core/transactions */
export class SolanaPayer implements ExpiringPayer {
  readonly signableForSeconds = SIGNABLE_FOR_SECONDS;

  expectedCost(token: string, strategy: FeeStrategy, opensAccount: boolean | null, at: PaymentConditions): bigint {
    const conditions = readConditions(at);
    const fee = priorityFee(highestLimit(unitsOf(token)), priceOf(strategy, conditions));
    const rent = opensAccount === false ? 0n : rentOf(token, conditions);
    return conditions.lamportsPerSignature + fee + rent;
  }

  /** The program of listed tokens takes no fee. */
  paysWhole(): boolean {
    return true;
  }

  leastCoin(at: PaymentConditions): bigint {
    return readConditions(at).rentOfWallet;
  }

  plan(
    payment: ExpiringPayment,
    strategy: FeeStrategy,
    sequence: number,
    at: PaymentConditions,
  ): PlannedPayment<UnsignedMoves> {
    const conditions = readConditions(at);
    const { blockhash, lamportsPerSignature } = conditions;
    const computeUnitLimit = numberedLimit(unitsOf(payment.token), sequence);
    const computeUnitPrice = priceOf(strategy, conditions);
    const fee = lamportsPerSignature + priorityFee(computeUnitLimit, computeUnitPrice);
    return {
      unsigned: {
        family: 'solana',
        payer: payment.sender,
        moves: [moveOf(payment)],
        blockhash,
        computeUnitLimit,
        computeUnitPrice,
      },
      fee: { limit: BigInt(computeUnitLimit), price: computeUnitPrice },
      expiry: expiryIn(conditions),
      costMax: fee + RENT_HEADROOM * rentOf(payment.token, conditions),
    };
  }

  check(signed: SignedBytes, planned: PlannedPayment, payment: ExpiringPayment): void {
    const unsigned = movesOf(planned);
    checkSignedMoves(signed, unsigned);
    if (unsigned.payer !== payment.sender) throw new SignedMismatch('payer');
    if (!isDeepStrictEqual(unsigned.moves, [moveOf(payment)])) throw new SignedMismatch('moves');
    checkTerms(unsigned, unitsOf(payment.token), planned);
  }
}

const moveOf = ({ sender: from, recipient: to, token, decimals, amount }: ExpiringPayment): FundsMove =>
  token === NATIVE_COIN
    ? { kind: 'coin', from, to, amount }
    : { kind: 'token', from, to, token, decimals, amount, opensAccount: true };

const unitsOf = (token: string): number => (token === NATIVE_COIN ? UNITS_OF_COIN_PAYMENT : UNITS_OF_TOKEN_PAYMENT);

const rentOf = (token: string, { rentOfTokenAccount }: SolanaConditions): bigint =>
  token === NATIVE_COIN ? 0n : rentOfTokenAccount;
