import { NATIVE_COIN } from '../domain/network.js';
import type { ChainClient } from './chain.js';
import type { NetworkProfile, TokenProfile } from './networks.js';

/** A listed token whose contract says otherwise. */
export interface TokenMismatch {
  readonly token: TokenProfile;
  /** What the contract states; null = no token lives at that address. */
  readonly decimalsOnChain: number | null;
}

/**
 * Compares the catalogue with the chain: every listed token must exist there with the decimals we count in, since a
 * wrong exponent would credit a millionfold. Gives the tokens that must not be used; throws `ChainUnavailable`.
 */
export async function verifyTokens(
  client: Pick<ChainClient, 'decimalsOf'>,
  profile: Pick<NetworkProfile, 'tokens'>,
): Promise<readonly TokenMismatch[]> {
  const mismatches: TokenMismatch[] = [];
  for (const token of profile.tokens) {
    // The coin is no contract, and nobody on the chain states its decimals.
    if (token.contract === NATIVE_COIN) continue;
    const decimalsOnChain = await client.decimalsOf(token.contract);
    if (decimalsOnChain !== token.decimals) mismatches.push({ token, decimalsOnChain });
  }
  return mismatches;
}
