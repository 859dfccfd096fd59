import { EVM_CATALOGUE, type EvmNetworkEntry } from './evm-catalogue.js';

/** A network with Ethereum's addresses and transactions. */
export type EvmNetwork = keyof typeof EVM_CATALOGUE;

const EVM_ENTRIES = Object.entries(EVM_CATALOGUE) as unknown as readonly (readonly [EvmNetwork, EvmNetworkEntry])[];

/** The EVM networks, in the order of the catalogue. */
export const EVM_NETWORKS: readonly EvmNetwork[] = EVM_ENTRIES.map(([network]) => network);

/** Returns a value for each EVM network, by its entry of the catalogue. */
export const perEvmNetwork = <Value>(
  valueOf: (entry: EvmNetworkEntry, network: EvmNetwork) => Value,
): Readonly<Record<EvmNetwork, Value>> =>
  Object.fromEntries(EVM_ENTRIES.map(([network, entry]) => [network, valueOf(entry, network)])) as Record<
    EvmNetwork,
    Value
  >;

/** The networks of spec 2.1, in the order the documentation lists them. */
export const NETWORKS = [...EVM_NETWORKS, 'solana', 'tron'] as const;
export type Network = (typeof NETWORKS)[number];

/** Sandbox and live share the code and the database, but never keys, seeds, addresses or chains. */
export const ENVIRONMENTS = ['sandbox', 'live'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** Networks of one family share address derivation, so an address is unique over the whole family. */
export const ADDRESS_FAMILIES = ['evm', 'solana', 'tron'] as const;
export type AddressFamily = (typeof ADDRESS_FAMILIES)[number];

/** Replaces the contract of a token for the chain's own coin. */
export const NATIVE_COIN = 'native';

/** Whether a network uses Ethereum's gas and transactions. */
export function isEvmNetwork(network: Network): network is EvmNetwork {
  return addressFamilyOf(network) === 'evm';
}

/** The address family of a network. */
export function addressFamilyOf(network: Network): AddressFamily {
  return network === 'solana' || network === 'tron' ? network : 'evm';
}
