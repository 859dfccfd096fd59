import type { EvmNetwork } from '../../domain/network.js';

/** A test token to deploy. */
export interface DevTokenPlan {
  /** The name of the compiled contract. */
  readonly contract: 'TestToken' | 'TestTether';
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
}

/** The plan of a network's development chain. */
export interface DevNetworkPlan {
  /** Never the id of a real chain, so that test transactions are invalid everywhere else. */
  readonly chainId: number;
  /** Symbol of the chain's own coin. */
  readonly coin: string;
  /** Append only: the address of a token follows from its place in this list. */
  readonly tokens: readonly DevTokenPlan[];
}

const USDC = { contract: 'TestToken', symbol: 'USDC', name: 'USD Coin (test)', decimals: 6 } as const;
const USDT = { contract: 'TestTether', symbol: 'USDT', name: 'Tether USD (test)', decimals: 6 } as const;

export const DEV_NETWORK_PLANS: Readonly<Record<EvmNetwork, DevNetworkPlan>> = {
  ethereum: { chainId: 31_337, coin: 'ETH', tokens: [USDC, USDT] },
  polygon: { chainId: 31_338, coin: 'POL', tokens: [USDC, USDT] },
  // The Binance-Peg tokens have 18 decimals, so that code that assumes 6 fails here first.
  bnb: {
    chainId: 31_339,
    coin: 'BNB',
    tokens: [
      { ...USDC, decimals: 18 },
      { ...USDT, decimals: 18 },
    ],
  },
};
