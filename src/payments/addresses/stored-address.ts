import type { AddressFamily, Environment } from '../../domain/network.js';
import type { DerivedAddress, Vault } from '../../vault/vault.js';

/** Derives the addresses at these indexes again. A negative index has no key, and no entry in the result. */
export async function deriveAgain(
  vault: Vault,
  environment: Environment,
  family: AddressFamily,
  stored: readonly DerivedAddress[],
): Promise<ReadonlyMap<number, DerivedAddress>> {
  const derived = new Map<number, DerivedAddress>();
  for (const [from, count] of runsOf(stored.map(({ index }) => index).filter((index) => index >= 0))) {
    for (const address of await vault.deriveAddresses(environment, family, from, count)) {
      derived.set(address.index, address);
    }
  }
  return derived;
}

/** Whether a stored address equals the derived one in every field. */
export function isSameAddress(stored: DerivedAddress, derived: DerivedAddress | undefined): boolean {
  return (
    stored.index === derived?.index &&
    stored.path === derived.path &&
    stored.address === derived.address &&
    stored.addressKey === derived.addressKey
  );
}

/** Groups numbers into runs without gaps, so that neighbouring addresses are derived together. */
function runsOf(indexes: readonly number[]): [from: number, count: number][] {
  const runs: [from: number, count: number][] = [];
  for (const index of indexes.toSorted((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last !== undefined && last[0] + last[1] === index) last[1]++;
    else runs.push([index, 1]);
  }
  return runs;
}
