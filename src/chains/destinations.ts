import { addressFormOf, type ListedFamily } from '../domain/address-form.js';
import type { ParsedDestination } from '../domain/destination.js';
import { type AddressFamily, addressFamilyOf, type Network } from '../domain/network.js';
import { evmDestination } from './evm/evm-destination.js';
import { solanaDestination } from './solana/solana-destination.js';
import { tronDestination } from './tron/tron-destination.js';

const PARSERS: Readonly<Record<AddressFamily, (network: Network, text: string) => ParsedDestination>> = {
  evm: evmDestination,
  solana: solanaDestination,
  tron: tronDestination,
};

/** A network of each family, for addresses that are stated without one. */
const SAMPLES: Readonly<Record<ListedFamily, Network>> = {
  evm: 'ethereum',
  solana: 'solana',
  tron: 'tron',
  other: 'ethereum',
};

/** Returns the destination of a payment on a network, judged by its text alone, or why it is none. */
export function parseDestination(network: Network, text: string): ParsedDestination {
  return PARSERS[addressFamilyOf(network)](network, text);
}

/** The same for an address that is stated without its network. */
export function parseAnyDestination(text: string): ParsedDestination {
  return parseDestination(SAMPLES[addressFormOf(text).family], text);
}
