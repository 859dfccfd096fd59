import { EVM_CATALOGUE, type EvmNetworkEntry } from '../domain/evm-catalogue.js';
import {
  type AddressFamily,
  addressFamilyOf,
  type Environment,
  EVM_NETWORKS,
  NATIVE_COIN,
  type Network,
  isEvmNetwork,
  type EvmNetwork,
} from '../domain/network.js';
import type { Stablecoin } from '../domain/stablecoin.js';
import type { FinalityRule } from './chain.js';
import { addressKeyIn } from '../domain/address-form.js';

/** A token or coin on offer. The contract identifies it: anybody can give a token any symbol. */
export interface TokenProfile {
  readonly symbol: string;
  /** Key of the contract or mint; `NATIVE_COIN` for the chain's own coin, which has none. */
  readonly contract: string;
  /** Digits after the point of one whole token; compared with the contract at start. */
  readonly decimals: number;
  /** Digits after the point of amounts in pockets: 2 for stablecoins, 8 for a chain's own coin, or all where it has fewer. */
  readonly minorUnitExponent: number;
  /** The smallest payment to an address without funds until it is sampled: the dearest known. Missing where there is none. */
  readonly minimumAmount?: bigint;
}

/** The settings of one chain: a row of the catalogue, or a development chain. */
export interface NetworkProfile {
  readonly environment: Environment;
  readonly network: Network;
  readonly addressFamily: AddressFamily;
  /** As the node must report it: decimal on EVM networks, else the genesis hash: on tron the id of block 0. */
  readonly chainId: string;
  readonly tokens: readonly TokenProfile[];
  readonly finality: FinalityRule;
  /** Blocks on top that usually make a block final: the `confirmations` of the API. Only `finality` decides. */
  readonly usualFinalityDepth: number;
  /** Usual time between two blocks. */
  readonly blockIntervalMs: number;
  /**
   * When a node shows no newer block for this long, the chain counts as read up to that moment. Null = never: a public
   * chain always makes blocks, so a quiet node is stuck, and an expiry that relied on it could not be undone.
   */
  readonly quietGraceMs: number | null;
  /** How long signed bytes may stay valid where transactions expire, at most; 0 where a nonce excludes a second payment. */
  readonly transactionLifetimeMs: number;
}

/** Decimals of a chain's own coin on EVM networks; its smallest unit is the wei. */
const EVM_COIN_DECIMALS = 18;
const STABLECOIN_MINOR_UNIT_EXPONENT = 2;
const COIN_MINOR_UNIT_EXPONENT = 8;

/** Facts of a network, the same on its public chains. */
interface NetworkTraits {
  /** Symbol of the coin that pays the fees. On a test network it is worthless and has the same symbol. */
  readonly coin: string;
  /** Digits after the point of one whole coin. */
  readonly coinDecimals: number;
  /** The dearest known smallest payment to an address without funds; missing where there is none. */
  readonly minimumAmount?: bigint;
  /** Blocks required on top, in addition to the node's `finalized` tag. */
  readonly minDepth: number;
  /** The same on a development chain. */
  readonly developmentDepth: number;
  /** Blocks from the head down to the `finalized` tag of a development chain. */
  readonly developmentTagDepth: number;
  /** Usual blocks from the head down to the `finalized` tag; 0 where `minDepth` alone takes longer. */
  readonly finalizedTagDepth: number;
  /** Usual time between two blocks. */
  readonly blockIntervalMs: number;
  /** As in `NetworkProfile`. */
  readonly transactionLifetimeMs: number;
}

const OTHER_TRAITS: Readonly<Record<Exclude<Network, EvmNetwork>, NetworkTraits>> = {
  // The commitment `finalized` alone decides, usually after 32 slots.
  solana: {
    coin: 'SOL',
    coinDecimals: 9,
    // 6,960 lamports for each of the 128 bytes of an account: the former rent, to which it may return.
    minimumAmount: 890_880n,
    minDepth: 0,
    developmentDepth: 0,
    developmentTagDepth: 8,
    finalizedTagDepth: 32,
    blockIntervalMs: 400,
    // 151 blocks, which came every 600 ms in the worst hours.
    transactionLifetimeMs: 120_000,
  },
  // `/walletsolidity` alone decides: 19 of 27 witnesses have built on the block.
  tron: {
    coin: 'TRX',
    coinDecimals: 6,
    minDepth: 0,
    developmentDepth: 0,
    developmentTagDepth: 2,
    finalizedTagDepth: 19,
    blockIntervalMs: 3_000,
    // 90 s from a head that counts as 84 s above the block named in the bytes at most, and 6 s for clocks that differ.
    transactionLifetimeMs: 180_000,
  },
};

const traitsOf = (network: Network): NetworkTraits =>
  isEvmNetwork(network) ? evmTraits(EVM_CATALOGUE[network]) : OTHER_TRAITS[network];

function evmTraits({
  coin,
  minDepth,
  development,
  finalizedTagDepth,
  blockIntervalMs,
}: EvmNetworkEntry): NetworkTraits {
  return {
    coin,
    coinDecimals: EVM_COIN_DECIMALS,
    minDepth,
    developmentDepth: development.minDepth,
    developmentTagDepth: 2,
    finalizedTagDepth,
    blockIntervalMs,
    transactionLifetimeMs: 0,
  };
}

function stablecoin(symbol: Stablecoin, contract: string, decimals: number): TokenProfile {
  return { symbol, contract, decimals, minorUnitExponent: STABLECOIN_MINOR_UNIT_EXPONENT };
}

/** USD Coin, as Circle issues it. */
const usdc = (contract: string): TokenProfile => stablecoin('USDC', contract, 6);

/** Tether USD, as Tether issues it. */
const usdt = (contract: string): TokenProfile => stablecoin('USDT', contract, 6);

/** Returns the coin of a network. */
export function coinOf(network: Network): TokenProfile {
  const { coin, coinDecimals, minimumAmount } = traitsOf(network);
  return {
    symbol: coin,
    contract: NATIVE_COIN,
    decimals: coinDecimals,
    minorUnitExponent: Math.min(COIN_MINOR_UNIT_EXPONENT, coinDecimals),
    ...(minimumAmount !== undefined && { minimumAmount }),
  };
}

/** Returns the profile of a public chain, live or for tests, with these tokens and its own coin. */
function publicChain(
  environment: Environment,
  network: Network,
  chainId: string,
  tokens: readonly TokenProfile[],
): NetworkProfile {
  const { minDepth, finalizedTagDepth, blockIntervalMs, transactionLifetimeMs } = traitsOf(network);
  return {
    environment,
    network,
    addressFamily: addressFamilyOf(network),
    chainId,
    tokens: [...tokens, coinOf(network)],
    finality: { minDepth },
    usualFinalityDepth: Math.max(minDepth, finalizedTagDepth),
    blockIntervalMs,
    quietGraceMs: null,
    transactionLifetimeMs,
  };
}

/** Returns the public EVM chains of an environment, as the catalogue states them. */
function evmChains(environment: Environment): readonly NetworkProfile[] {
  return EVM_NETWORKS.map((network) => {
    const { chainId, tokens } = EVM_CATALOGUE[network][environment];
    const listed = tokens.map(({ symbol, contract, decimals }) => stablecoin(symbol, contract, decimals));
    return publicChain(environment, network, String(chainId), listed);
  });
}

/**
 * The networks and tokens that can be offered: those of the EVM catalogue, and others. Sources: Circle's and Tether's
 * contract lists. Tether issues nothing on the test networks; that of tron has a USDT of others.
 */
export const NETWORK_PROFILES: readonly NetworkProfile[] = [
  ...evmChains('live'),
  publicChain('live', 'solana', '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d', [
    usdc('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
    usdt('Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'),
  ]),
  publicChain('live', 'tron', '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc', [
    usdt('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'),
  ]),
  ...evmChains('sandbox'),
  publicChain('sandbox', 'solana', 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG', [
    usdc('4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'),
  ]),
  // Nile.
  publicChain('sandbox', 'tron', '0000000000000000d698d4192c56cb6be724a558448e2684802de4d6cd8690dc', [
    usdt('TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf'),
  ]),
];

/** Circle ended its issue on tron in 2024, so it is not listed there; development chains simulate it. */
const ENDED_TRON_USDC = usdc('TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8');

/** Returns the catalogue's row of a network, or null when the environment does not offer the network. */
export function networkProfile(environment: Environment, network: Network): NetworkProfile | null {
  return NETWORK_PROFILES.find((row) => row.environment === environment && row.network === network) ?? null;
}

/** Returns the live network with this chain id; null when there is none. */
export function liveNetworkOf(chainId: string): Network | null {
  return NETWORK_PROFILES.find((row) => row.environment === 'live' && row.chainId === chainId)?.network ?? null;
}

/** A local chain that simulates `network` for the sandbox. */
export interface DevelopmentChain {
  readonly network: Network;
  readonly chainId: string;
  /** Contract or mint of each token deployed there, by the symbol of the live token. */
  readonly contracts: Readonly<Record<string, string>>;
}

/** Returns the live token of a network that a test token simulates. Throws when the network offers none by this symbol. */
export function simulatedToken(network: Network, symbol: string): TokenProfile {
  const listed = networkProfile('live', network)?.tokens ?? [];
  const token = [...listed, ...(network === 'tron' ? [ENDED_TRON_USDC] : [])].find((one) => one.symbol === symbol);
  if (token === undefined || token.contract === NATIVE_COIN) {
    throw new Error(`The ${network} network has no token ${symbol} to simulate.`);
  }
  return token;
}

/**
 * Returns the profile of a development chain: tokens with the decimals of the live ones, its own coin, one block a second
 * and quick finality. Throws on a symbol that the live network does not offer as a token.
 */
export function developmentProfile({ network, chainId, contracts }: DevelopmentChain): NetworkProfile {
  const tokens = Object.entries(contracts).map(([symbol, contract]) => ({
    ...simulatedToken(network, symbol),
    contract: addressKeyIn(addressFamilyOf(network), contract),
  }));
  const { developmentDepth: minDepth, developmentTagDepth } = traitsOf(network);
  return {
    environment: 'sandbox',
    network,
    addressFamily: addressFamilyOf(network),
    chainId,
    tokens: [...tokens, coinOf(network)],
    finality: { minDepth },
    usualFinalityDepth: Math.max(minDepth, developmentTagDepth),
    blockIntervalMs: 1_000,
    // Those of Solana and Tron make blocks also when nothing happens.
    quietGraceMs: network === 'solana' || network === 'tron' ? null : 3_000,
    // Its files and the database lie in one directory, and are restored together.
    transactionLifetimeMs: 0,
  };
}

/** Returns the contracts of the listed tokens, whose transfers a listener reads. The chain's own coin has none. */
export function tokenContracts({ tokens }: Pick<NetworkProfile, 'tokens'>): readonly string[] {
  return tokens.map(({ contract }) => contract).filter((contract) => contract !== NATIVE_COIN);
}
