import { simulatedToken } from '../../chains/networks.js';
import { EVM_CATALOGUE } from '../../domain/evm-catalogue.js';
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
  readonly chainId: number;
  /** The port that the sandbox tries first. */
  readonly port: number;
  /** Index of the account that deploys the tokens. */
  readonly deployerIndex: number;
  /** The address of a token follows from its place in this list. */
  readonly tokens: readonly DevTokenPlan[];
}

type TestToken = Omit<DevTokenPlan, 'decimals'>;

const USDC: TestToken = { contract: 'TestToken', symbol: 'USDC', name: 'USD Coin (test)' };
const USDT: TestToken = { contract: 'TestTether', symbol: 'USDT', name: 'Tether USD (test)' };

/** Append only: every development chain has the test tokens in this order. */
const TEST_TOKENS = [USDC, USDT];

/** Returns the plan of a network's development chain, whose test tokens have the decimals of the live ones. */
export function devNetworkPlan(network: EvmNetwork): DevNetworkPlan {
  const { chainId, port, deployerIndex } = EVM_CATALOGUE[network].development;
  const tokens = TEST_TOKENS.map((token) => ({ ...token, decimals: simulatedToken(network, token.symbol).decimals }));
  return { chainId, port, deployerIndex, tokens };
}
