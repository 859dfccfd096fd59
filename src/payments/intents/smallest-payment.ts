import { DomainError, invalidParam } from '../../domain/errors.js';
import { formatUnits } from '../../domain/money.js';
import type { Network } from '../../domain/network.js';
import type { TokenView } from '../../offers/network-views.service.js';

/**
 * Refuses an amount that the new address of an intent could not receive.
 * @throws DomainError invalid_request
 */
export function assertReceivable(network: Network, token: TokenView, cryptoAmount: bigint): void {
  const minimum = token.minimumAmount === null ? 0n : BigInt(token.minimumAmount);
  if (cryptoAmount >= minimum) return;
  const shown = (units: bigint): string => `${formatUnits(units, token.decimals)} ${token.symbol}`;
  throw invalidParam(
    'amount_cents',
    `The amount is ${shown(cryptoAmount)}, and a new address on ${network} cannot receive less than ${shown(minimum)}.`,
  );
}

/** Whether an error means that there is no price now. */
export const isPriceUnavailable = (error: unknown): boolean =>
  error instanceof DomainError && error.code === 'price_unavailable';
