import type { components } from '../api/schema.d.ts';

type Network = components['schemas']['StaffIntent']['network'];

/** The networks as filters offer them. */
export const NETWORK_WORDS = ['ethereum', 'polygon', 'bnb', 'solana', 'tron'] as const satisfies readonly Network[];

/** Sorts what belongs to networks by their names. */
export const byNetwork = <Of extends { readonly network: string }>(all: readonly Of[]): Of[] =>
  all.toSorted((a, b) => a.network.localeCompare(b.network));
