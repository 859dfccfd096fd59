import type { AccountClient } from '../../../chains/accounts.js';

/** Without a limit, so that a public node is not asked too much. */
const UNLIMITED_ADDRESSES = 300;
const ADDRESSES_MIN = 100;
const ADDRESSES_MAX = 10_000;
/** An address has one for each listed token, and itself for the coin. */
const ACCOUNTS_PER_ADDRESS = 3;

/**
 * Returns how many addresses of the round over all a step reads: what half a second's requests fetch. The rest of the second
 * is left to the intents that may be paid now, and to whatever else this process asks.
 */
export function roundAddresses({
  requestsPerSecond,
  accountsPerRequest,
}: Pick<AccountClient, 'requestsPerSecond' | 'accountsPerRequest'>): number {
  if (requestsPerSecond === null) return UNLIMITED_ADDRESSES;
  const addresses = Math.floor((requestsPerSecond * accountsPerRequest) / (2 * ACCOUNTS_PER_ADDRESS));
  return Math.min(Math.max(addresses, ADDRESSES_MIN), ADDRESSES_MAX);
}
