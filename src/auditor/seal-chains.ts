import type { Database, Tx } from '../platform/database/database.js';
import { type Breaches, breachesOf, type Finding } from './check.js';
import { ACTION_CHAIN } from './checks/audit-seal-check.js';
import { type KnownSeal, lostSeal, NO_SEAL, walkChain } from './checks/chain-walk.js';
import { ENTRY_CHAIN } from './checks/seal-check.js';

/** A seal of each hash chain: of the entries of the ledger, and of the actions in the audit log. */
export interface SealHeads {
  readonly entries: KnownSeal;
  readonly actions: KnownSeal;
}

/** The start of both chains. */
export const NO_SEALS: SealHeads = { entries: NO_SEAL, actions: NO_SEAL };

/** A rule of a chain with its breaches; null when there are none. */
interface ChainRule {
  readonly chain: { readonly name: string; readonly rule: string };
  readonly breaches: Breaches | null;
}

/** Walks both chains from correct seals to their ends. */
export async function walkChains(
  tx: Tx,
  from: SealHeads,
): Promise<{ readonly found: readonly ChainRule[]; readonly heads: SealHeads }> {
  const entries = await walkChain(tx, ENTRY_CHAIN, from.entries);
  const actions = await walkChain(tx, ACTION_CHAIN, from.actions);
  return {
    found: [
      { chain: ENTRY_CHAIN, breaches: entries.breaches },
      { chain: ACTION_CHAIN, breaches: actions.breaches },
    ],
    heads: { entries: entries.head, actions: actions.head },
  };
}

/** Why a known seal is no longer in its chain; null while it is. */
export type LostSeals = { readonly [Of in keyof SealHeads]: Finding | null };

/** Looks for seals that were correct. A chain that was rebuilt from its beginning is valid, but does not contain them. */
export async function lostSeals(database: Database, known: SealHeads): Promise<LostSeals> {
  return {
    entries: await lostSeal(database, ENTRY_CHAIN, known.entries),
    actions: await lostSeal(database, ACTION_CHAIN, known.actions),
  };
}

/** Returns lost seals as breaches of the rules of their chains. */
export const lossesOf = ({ entries, actions }: LostSeals): readonly ChainRule[] => [
  { chain: ENTRY_CHAIN, breaches: breachesOf(entries) },
  { chain: ACTION_CHAIN, breaches: breachesOf(actions) },
];
