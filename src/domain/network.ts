import { EVM_CATALOGUE } from './evm-catalogue.js';

/** A network with Ethereum's addresses and transactions. */
export type EvmNetwork = keyof typeof EVM_CATALOGUE;

/** Whether the catalogue has a network of this name. */
const isInCatalogue = (name: string): name is EvmNetwork => Object.hasOwn(EVM_CATALOGUE, name);

/** The EVM networks, in the order of the catalogue. */
export const EVM_NETWORKS: readonly EvmNetwork[] = Object.keys(EVM_CATALOGUE).filter(isInCatalogue);

/** The networks of spec 2.1, in the order the documentation lists them. */
export const NETWORKS = [...EVM_NETWORKS, 'solana', 'tron'] as const;
export type Network = (typeof NETWORKS)[number];

/** Sandbox and live share the code and the database, but never keys, seeds, addresses or chains. */
export const ENVIRONMENTS = ['sandbox', 'live'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** Networks of one family share address derivation, so an address is unique over the whole family. */
export const ADDRESS_FAMILIES = ['evm', 'solana', 'tron'] as const;
export type AddressFamily = (typeof ADDRESS_FAMILIES)[number];

/** Families on which a deposit address pays for its own sweep, with coins that the hot wallet sends it first. */
export const SELF_PAYING_FAMILIES: readonly AddressFamily[] = ['tron'];

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
