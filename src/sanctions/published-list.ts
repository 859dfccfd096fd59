import { addressFormOf, type ListedFamily } from '../domain/address-form.js';

/** An address of a published list. */
export interface ListedAddress {
  readonly family: ListedFamily;
  readonly key: string;
  /** The owner's name, if the list was read with names. */
  readonly name: string | null;
}

/** A sanctions list as it was published. */
export interface PublishedList {
  /** Where it comes from, such as `sdn_advanced`. */
  readonly source: string;
  /** The publisher's date, `YYYY-MM-DD`. */
  readonly publishedOn: string;
  /** SHA-256 of what was read, in hex. */
  readonly contentHash: string;
  /** Each address once. */
  readonly addresses: readonly ListedAddress[];
}

/** The list was not imported, and nothing changed; the message says why. */
export class ListRefused extends Error {
  override name = 'ListRefused';
}

/** Returns the addresses by their form, each once: a list repeats an address for every asset and party that has it. */
export function distinctAddresses(
  found: Iterable<{ readonly address: string; readonly name: string | null }>,
): ListedAddress[] {
  const byKey = new Map<string, ListedAddress>();
  for (const { address, name } of found) {
    const { family, key } = addressFormOf(address);
    const known = byKey.get(`${family} ${key}`);
    byKey.set(`${family} ${key}`, { family, key, name: known?.name ?? name });
  }
  return [...byKey.values()];
}
