import { isDeepStrictEqual } from 'node:util';
import { SignedMismatch } from '../../domain/signed-mismatch.js';
import type { Staker } from '../expiring-stakes.js';
import type { PaymentConditions, PlannedPayment } from '../expiring.js';
import type { SignedBytes } from '../expiring-transaction.js';
import type { StakeMove } from '../stake-move.js';
import { readConditions } from './payment-conditions.js';
import { BYTES_OF_STAKING, HEADROOM } from './payment-fee.js';
import { checkTerms, termsIn, transactionOf } from './planned-transaction.js';
import { checkSignedTransaction } from './signed-transaction-check.js';
import type { TronStaking, UnsignedTronTransaction } from './unsigned-transaction.js';

/** Stakes coins of the hot wallet for energy (Stake 2.0). https://developers.tron.network/docs/staking-on-tron-network */
export class TronStaker implements Staker {
  readonly least = 1_000_000n;
  readonly leavingMax = 32;

  plan(move: StakeMove, sequence: number, at: PaymentConditions): PlannedPayment<UnsignedTronTransaction> {
    const conditions = readConditions(at);
    const { expiry, ...terms } = termsIn(conditions, sequence);
    const { bytePrice: price } = conditions;
    const unsigned = { family: 'tron', owner: move.owner, action: actionOf(move), ...terms, feeLimit: 0n } as const;
    const fee = { limit: BYTES_OF_STAKING, price };
    return { unsigned, fee, expiry, costMax: HEADROOM * BYTES_OF_STAKING * price };
  }

  check(signed: SignedBytes, planned: PlannedPayment, move: StakeMove): void {
    const unsigned = transactionOf(planned);
    checkSignedTransaction(signed, unsigned);
    if (unsigned.owner !== move.owner) throw new SignedMismatch('owner');
    if (!isDeepStrictEqual(unsigned.action, actionOf(move))) throw new SignedMismatch('action');
    checkTerms(unsigned, planned);
  }
}

const actionOf = ({ kind, amount }: StakeMove): TronStaking => ({ kind, amount });
