import { NATIVE_COIN } from '../../domain/network.js';
import { SignedMismatch } from '../../domain/signed-mismatch.js';
import { isDeepStrictEqual } from 'node:util';
import type { SignedBytes } from '../expiring-transaction.js';
import type { PaymentConditions } from '../expiring.js';
import type { ExpiringSweeper, PlannedSweep, SweepFee, SweepSource, SweepTarget } from '../expiring-sweeps.js';
import { readConditions } from './payment-conditions.js';
import { feeTerms } from './payment-fee.js';
import { checkTerms, termsIn, transactionOf } from './planned-transaction.js';
import { checkSignedTransaction } from './signed-transaction-check.js';
import { expectedSweepCost, feeLimitWithin, highestSweepCost } from './sweep-fee.js';
import type { TronPayment, UnsignedTronTransaction } from './unsigned-transaction.js';

/**
 * Plans sweeps on tron: a transaction has one owner, who signs it and pays for it. So each sweep takes one token of one
 * address, which needs coins for it first. https://developers.tron.network/docs/tron-protocol-transaction
 */
export class TronSweeper implements ExpiringSweeper {
  expectedCost(at: PaymentConditions): bigint {
    return expectedSweepCost(readConditions(at));
  }

  highestCost(at: PaymentConditions): bigint {
    return highestSweepCost(readConditions(at));
  }

  plan(
    { hotWallet }: SweepTarget,
    sources: readonly SweepSource[],
    { sequence, costMax }: SweepFee,
    at: PaymentConditions,
  ): PlannedSweep<UnsignedTronTransaction> {
    const [source] = sources;
    if (source === undefined || costMax === null)
      throw new RangeError('A sweep of tron has a source that pays for it.');
    const conditions = readConditions(at);
    const action = actionOf(source, hotWallet);
    const token = action.kind === 'coin' ? NATIVE_COIN : action.token;
    const { expiry, ...terms } = termsIn(conditions, sequence);
    const feeLimit = feeLimitWithin(costMax, token, conditions);
    const { price } = feeTerms(token, conditions);
    const unsigned = { family: 'tron', owner: source.owner, action, ...terms, feeLimit } as const;
    return { unsigned, fee: { limit: costMax / price, price }, sources: [source], expiry, costMax };
  }

  check(signed: SignedBytes, planned: PlannedSweep, { hotWallet }: SweepTarget): void {
    const unsigned = transactionOf(planned);
    checkSignedTransaction(signed, unsigned);
    const [source, ...others] = planned.sources;
    if (source === undefined || others.length > 0 || unsigned.owner !== source.owner) throw new SignedMismatch('owner');
    if (!isDeepStrictEqual(unsigned.action, actionOf(source, hotWallet))) throw new SignedMismatch('action');
    checkTerms(unsigned, planned);
  }
}

function actionOf({ funds }: SweepSource, to: string): TronPayment {
  const [one, ...others] = funds;
  if (one === undefined || others.length > 0) throw new RangeError('A sweep of tron moves one token.');
  const { token, amount } = one;
  return token === NATIVE_COIN ? { kind: 'coin', to, amount } : { kind: 'token', to, token, amount };
}
