import { isDeepStrictEqual } from 'node:util';
import { NATIVE_COIN } from '../../domain/network.js';
import type { FeeStrategy } from '../../domain/outgoing-payment.js';
import { SignedMismatch } from '../../domain/signed-mismatch.js';
import type { SignedBytes } from '../expiring-transaction.js';
import type { ExpiringPayer, ExpiringPayment, PaymentConditions, PlannedPayment } from '../expiring.js';
import { readConditions } from './payment-conditions.js';
import { expectedBurn, feeLimitOf, feeTerms, highestBurn } from './payment-fee.js';
import { checkTerms, termsIn, transactionOf } from './planned-transaction.js';
import { checkSignedTransaction } from './signed-transaction-check.js';
import type { TronAction, UnsignedTronTransaction } from './unsigned-transaction.js';

/** A transaction lives for 90 s: most of them must be left. */
const SIGNABLE_FOR_SECONDS = 20;

/**
 * Plans and checks payments on tron: https://developers.tron.network/docs/tron-protocol-transaction. There is no price to
 * offer, so both strategies cost the same.
 */
export class TronPayer implements ExpiringPayer {
  readonly signableForSeconds = SIGNABLE_FOR_SECONDS;

  expectedCost(token: string, _strategy: FeeStrategy, opensAccount: boolean | null, at: PaymentConditions): bigint {
    return expectedBurn(token, opensAccount, readConditions(at));
  }

  paysWhole(token: string, at: PaymentConditions): boolean {
    return !readConditions(at).changedTokens.includes(token);
  }

  /** One sun activates an address. */
  leastCoin(): bigint {
    return 0n;
  }

  plan(
    payment: ExpiringPayment,
    _strategy: FeeStrategy,
    sequence: number,
    at: PaymentConditions,
  ): PlannedPayment<UnsignedTronTransaction> {
    const conditions = readConditions(at);
    const { sender: owner, token } = payment;
    const fee = feeTerms(token, conditions);
    const feeLimit = feeLimitOf(token, fee);
    const { expiry, ...terms } = termsIn(conditions, sequence);
    return {
      unsigned: { family: 'tron', owner, action: actionOf(payment), ...terms, feeLimit },
      fee,
      expiry,
      costMax: feeLimit + highestBurn(token, conditions),
    };
  }

  check(signed: SignedBytes, planned: PlannedPayment, payment: ExpiringPayment): void {
    const unsigned = transactionOf(planned);
    checkSignedTransaction(signed, unsigned);
    if (unsigned.owner !== payment.sender) throw new SignedMismatch('owner');
    if (!isDeepStrictEqual(unsigned.action, actionOf(payment))) throw new SignedMismatch('action');
    checkTerms(unsigned, planned);
  }
}

const actionOf = ({ token, recipient: to, amount }: ExpiringPayment): TronAction =>
  token === NATIVE_COIN ? { kind: 'coin', to, amount } : { kind: 'token', to, token, amount };
