import { NATIVE_COIN } from '../domain/network.js';
import type { NodeClient } from './chain.js';
import type { NetworkProfile, TokenProfile } from './networks.js';

/** A listed token whose contract contradicts the catalogue. */
export interface TokenMismatch {
  readonly token: TokenProfile;
  /** The decimals that the contract states; null = there is no token at that address. */
  readonly decimalsOnChain: number | null;
}

/**
 * Compares the catalogue with the chain: every listed token must exist there with our decimals, because a wrong exponent
 * would credit a million times too much. Returns the tokens that must not be used. Throws `ChainUnavailable`.
 */
export async function verifyTokens(
  client: Pick<NodeClient, 'decimalsOf'>,
  profile: Pick<NetworkProfile, 'tokens'>,
): Promise<readonly TokenMismatch[]> {
  const mismatches: TokenMismatch[] = [];
  for (const token of profile.tokens) {
    // The coin has no contract that states its decimals.
    if (token.contract === NATIVE_COIN) continue;
    const decimalsOnChain = await client.decimalsOf(token.contract);
    if (decimalsOnChain !== token.decimals) mismatches.push({ token, decimalsOnChain });
  }
  return mismatches;
}
