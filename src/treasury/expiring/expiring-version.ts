import type { SignedBytes } from '../../chains/expiring-transaction.js';
import type { PlannedPayment } from '../../chains/expiring.js';
import type { SignedVersion } from '../transactions/signable-transaction.js';

/** Returns a signed transaction that expires as it is stored. */
export function expiringVersion(
  signed: SignedBytes,
  { unsigned, fee, expiry, costMax }: PlannedPayment,
  terms: Pick<SignedVersion, 'nonce' | 'destination' | 'value'>,
): SignedVersion {
  return {
    ...signed,
    ...terms,
    fields: JSON.stringify(unsigned, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    data: '',
    gasLimit: fee.limit,
    maxFeePerGas: fee.price,
    maxPriorityFeePerGas: fee.price,
    expiry: { afterHeight: expiry.after.height, afterHash: expiry.after.hash, until: expiry.until, costMax },
  };
}
