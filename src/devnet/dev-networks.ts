import type { EvmNetwork } from '../domain/network.js';

/** A test token to deploy. */
export interface DevTokenPlan {
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
}

/** How the development chain of a network is made. */
export interface DevNetworkPlan {
  /** Never the id of a real chain: a transaction signed for play must be worth nothing anywhere else. */
  readonly chainId: number;
  /** Append only: the address of a token follows from its place in this list. */
  readonly tokens: readonly DevTokenPlan[];
}

const USDC = { symbol: 'USDC', name: 'USD Coin (test)', decimals: 6 } as const;

export const DEV_NETWORK_PLANS: Readonly<Record<EvmNetwork, DevNetworkPlan>> = {
  ethereum: { chainId: 31_337, tokens: [USDC] },
  polygon: { chainId: 31_338, tokens: [USDC] },
  // Binance-Peg USDC has 18 decimals; a service that takes 6 for granted must fail here first.
  bnb: { chainId: 31_339, tokens: [{ ...USDC, decimals: 18 }] },
};
