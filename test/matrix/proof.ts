import { addressFamilyOf, type Network } from '../../src/domain/network.js';
import type { AssetKind, CaseName, Cell } from './cells.js';

/** A test, and the cells that it runs. */
export interface Proof {
  readonly cases: readonly CaseName[];
  readonly file: string;
  /** As the spec writes it. */
  readonly title: string;
  readonly networks: readonly Network[];
  /** Symbols; empty for cases that are about no token. */
  readonly symbols: readonly string[];
  readonly kinds: readonly AssetKind[];
}

/** Cells that nothing proves, with the reason. */
export interface Gap {
  readonly name: CaseName;
  readonly networks: readonly Network[];
  readonly kinds: readonly AssetKind[];
  readonly why: string;
}

/** `itself`: a test runs this very cell. `kin`: one runs it for another network of the family, or another asset of its kind. */
export type Standing = 'itself' | 'kin';

/** Whether a proof covers a cell. Networks of a family share all code but the data of the catalogue, and so do their tokens. */
export function standingOf({ cases, networks, symbols, kinds }: Proof, cell: Cell): Standing | null {
  if (!cases.includes(cell.name)) return null;
  if (cell.kind !== null && !kinds.includes(cell.kind)) return null;
  if (networks.includes(cell.network) && (cell.symbol === null || symbols.includes(cell.symbol))) return 'itself';
  const family = addressFamilyOf(cell.network);
  return networks.some((network) => addressFamilyOf(network) === family) ? 'kin' : null;
}

export const isGap = ({ name, networks, kinds }: Gap, cell: Cell): boolean =>
  name === cell.name && networks.includes(cell.network) && (cell.kind === null || kinds.includes(cell.kind));
