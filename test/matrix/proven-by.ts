import { type Network, NETWORKS } from '../../src/domain/network.js';
import { ASSETS, type AssetKind, type CaseName } from './cells.js';
import type { Proof } from './proof.js';

type Where = Readonly<Partial<Record<Network, readonly string[]>>>;

/** The proofs of one test: for each network, the assets that it runs with; an empty list where a case is about none. */
export function provenBy(file: string, title: string, cases: readonly CaseName[], where: Where): Proof[] {
  return NETWORKS.flatMap((network) => {
    const symbols = where[network];
    if (symbols === undefined) return [];
    const kinds = new Set<AssetKind>(
      ASSETS.flatMap((asset) => (asset.network === network && symbols.includes(asset.symbol) ? [asset.kind] : [])),
    );
    return [{ cases, file, title, networks: [network], symbols, kinds: [...kinds] }];
  });
}

/** Every asset of these networks. */
export const all = (networks: readonly Network[] = NETWORKS): Where =>
  Object.fromEntries(
    networks.map((network) => [
      network,
      ASSETS.filter((asset) => asset.network === network).map(({ symbol }) => symbol),
    ]),
  );
