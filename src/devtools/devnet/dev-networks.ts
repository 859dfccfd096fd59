import { simulatedToken } from '../../chains/networks.js';
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
  /** The port that the sandbox tries first. */
  readonly port: number;
  /** Index of the account that deploys the tokens; never changed, and another one for each network. */
  readonly deployerIndex: number;
  /** Append only: the address of a token follows from its place in this list. */
  readonly tokens: readonly DevTokenPlan[];
}

type TestToken = Omit<DevTokenPlan, 'decimals'>;

const USDC: TestToken = { contract: 'TestToken', symbol: 'USDC', name: 'USD Coin (test)' };
const USDT: TestToken = { contract: 'TestTether', symbol: 'USDT', name: 'Tether USD (test)' };

/** Plans test tokens with the decimals of the live tokens. */
function simulated(network: EvmNetwork, tokens: readonly TestToken[]): readonly DevTokenPlan[] {
  return tokens.map((token) => ({ ...token, decimals: simulatedToken(network, token.symbol).decimals }));
}

/** The development chain of each network. */
export const DEV_NETWORK_PLANS: Readonly<Record<EvmNetwork, DevNetworkPlan>> = {
  ethereum: { chainId: 31_337, port: 8545, deployerIndex: 9, tokens: simulated('ethereum', [USDC, USDT]) },
  polygon: { chainId: 31_338, port: 8546, deployerIndex: 8, tokens: simulated('polygon', [USDC, USDT]) },
  bnb: { chainId: 31_339, port: 8547, deployerIndex: 7, tokens: simulated('bnb', [USDC, USDT]) },
};
