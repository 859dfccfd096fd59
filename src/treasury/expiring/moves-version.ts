import type { PlannedPayment } from '../../chains/expiring.js';
import type { SignedMoves } from '../../chains/solana/unsigned-moves.js';
import type { SignedVersion } from '../transactions/signable-transaction.js';

/** Returns signed moves as they are stored. */
export function movesVersion(
  signed: SignedMoves,
  { unsigned, expiry, costMax }: PlannedPayment,
  terms: Pick<SignedVersion, 'nonce' | 'destination' | 'value'>,
): SignedVersion {
  const { computeUnitLimit, computeUnitPrice } = unsigned;
  return {
    ...signed,
    ...terms,
    fields: JSON.stringify(unsigned, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    data: '',
    gasLimit: BigInt(computeUnitLimit),
    maxFeePerGas: computeUnitPrice,
    maxPriorityFeePerGas: computeUnitPrice,
    expiry: { afterHeight: expiry.after.height, afterHash: expiry.after.hash, until: expiry.until, costMax },
  };
}
