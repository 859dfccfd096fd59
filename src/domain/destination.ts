import { addressFormOf, type ListedFamily } from './address-form.js';
import { addressFamilyOf, type Network } from './network.js';

/** An address in its two spellings: `shown` to people, `key` to store and compare. They differ on EVM networks only. */
export interface Destination {
  readonly shown: string;
  readonly key: string;
}

/** Why a text is no destination, as a sentence. */
export interface RefusedDestination {
  readonly refusal: string;
}

/** A text as the destination of a payment, judged by itself. */
export type ParsedDestination = Destination | RefusedDestination;

const OWNERS: Readonly<Record<Exclude<ListedFamily, 'other'>, string>> = {
  evm: 'an address of Ethereum and its like',
  solana: 'an address of solana',
  tron: 'an address of tron',
};

/** Refuses a text that has not the form of a network's addresses, and names the network that it belongs to. */
export function refusedForm(network: Network, text: string): RefusedDestination {
  const { family } = addressFormOf(text);
  if (family === 'other' || family === addressFamilyOf(network)) {
    // Of the own family: such as a checksum that is wrong.
    return { refusal: `The destination is not a valid address of the network ${network}.` };
  }
  return { refusal: `The destination is ${OWNERS[family]}, and the payment is on ${network}.` };
}
