import { NATIVE_COIN } from '../../domain/network.js';
import type { FeeTerms } from '../expiring.js';
import type { TransferEnergy, TronConditions } from './payment-conditions.js';

/**
 * Bandwidth of a payment at most: its bytes, and 64 that the chain adds for the result. https://developers.tron.network/docs/resource-model
 */
export const BYTES_OF_COIN_PAYMENT = 285n;
export const BYTES_OF_TOKEN_PAYMENT = 360n;
/** The same of a transaction that lends energy or takes it back. */
export const BYTES_OF_DELEGATION = 310n;
/** The same of one that stakes coins or takes them back. */
export const BYTES_OF_STAKING = 290n;

/**
 * The energy of a transfer of USDT at the highest penalty of a busy contract, for a token that the hot wallet has none of, so
 * that no call can be tried.
 */
export const ENERGY_UNKNOWN: TransferEnergy = { held: 65_000n, fresh: 131_000n };

/** Prices and penalties may rise before a transaction is mined. What it does not use is not burned. */
export const HEADROOM = 2n;

/** The most that a transaction may burn for energy on any chain: `getMaxFeeLimit`. */
export const FEE_LIMIT_MAX = 15_000_000_000n;

/** Energy of a transfer of a token. */
const energyOf = (token: string, { energy }: TronConditions): TransferEnergy => energy[token] ?? ENERGY_UNKNOWN;

/** What a payment is expected to burn, in sun; unknown (null) counts as the dearer case. */
export function expectedBurn(token: string, opensAccount: boolean | null, at: TronConditions): bigint {
  const isFresh = opensAccount !== false;
  if (token === NATIVE_COIN) {
    return isFresh ? at.activationFee + at.newAccountFee : BYTES_OF_COIN_PAYMENT * at.bytePrice;
  }
  const { held, fresh } = energyOf(token, at);
  return (isFresh ? fresh : held) * at.energyPrice + BYTES_OF_TOKEN_PAYMENT * at.bytePrice;
}

/** The energy that a payment may use, and its price; for coins the bytes and theirs. */
export const feeTerms = (token: string, at: TronConditions): FeeTerms =>
  token === NATIVE_COIN
    ? { limit: BYTES_OF_COIN_PAYMENT, price: at.bytePrice }
    : { limit: HEADROOM * energyOf(token, at).fresh, price: at.energyPrice };

/** The most sun that a payment may burn for energy. */
export function feeLimitOf(token: string, { limit, price }: FeeTerms): bigint {
  if (token === NATIVE_COIN) return 0n;
  const wanted = limit * price;
  return wanted < FEE_LIMIT_MAX ? wanted : FEE_LIMIT_MAX;
}

/** The most sun that a payment burns, beside what its energy limit says. */
export const highestBurn = (token: string, at: TronConditions): bigint =>
  token === NATIVE_COIN
    ? HEADROOM * (at.activationFee + at.newAccountFee + BYTES_OF_COIN_PAYMENT * at.bytePrice)
    : HEADROOM * BYTES_OF_TOKEN_PAYMENT * at.bytePrice;
