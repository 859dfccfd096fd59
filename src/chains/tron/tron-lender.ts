import { isDeepStrictEqual } from 'node:util';
import { SignedMismatch } from '../../domain/signed-mismatch.js';
import type { EnergyMove } from '../energy-move.js';
import type { EnergyLender, Lendable } from '../expiring-energy.js';
import type { PaymentConditions, PlannedPayment } from '../expiring.js';
import type { SignedBytes } from '../expiring-transaction.js';
import { readConditions } from './payment-conditions.js';
import { BYTES_OF_DELEGATION, HEADROOM } from './payment-fee.js';
import { checkTerms, termsIn, transactionOf } from './planned-transaction.js';
import { checkSignedTransaction } from './signed-transaction-check.js';
import type { TronDelegation, UnsignedTronTransaction } from './unsigned-transaction.js';

/**
 * Lends energy on tron: the stake of the hot wallet stays its own, and another address uses what it gives.
 * https://developers.tron.network/docs/resource-model
 */
export class TronLender implements EnergyLender {
  lendable(at: PaymentConditions): Lendable {
    const { stake, solidHeight: height } = readConditions(at);
    return { stake: stake?.lendable ?? 0n, height };
  }

  plan(move: EnergyMove, sequence: number, at: PaymentConditions): PlannedPayment<UnsignedTronTransaction> {
    const conditions = readConditions(at);
    const { expiry, ...terms } = termsIn(conditions, sequence);
    const { bytePrice: price } = conditions;
    const unsigned = { family: 'tron', owner: move.owner, action: actionOf(move), ...terms, feeLimit: 0n } as const;
    const fee = { limit: BYTES_OF_DELEGATION, price };
    return { unsigned, fee, expiry, costMax: HEADROOM * BYTES_OF_DELEGATION * price };
  }

  check(signed: SignedBytes, planned: PlannedPayment, move: EnergyMove): void {
    const unsigned = transactionOf(planned);
    checkSignedTransaction(signed, unsigned);
    if (unsigned.owner !== move.owner) throw new SignedMismatch('owner');
    if (!isDeepStrictEqual(unsigned.action, actionOf(move))) throw new SignedMismatch('action');
    checkTerms(unsigned, planned);
  }
}

const actionOf = ({ kind, borrower: to, stake: amount }: EnergyMove): TronDelegation => ({
  kind: kind === 'lend' ? 'delegate' : 'undelegate',
  to,
  amount,
});
