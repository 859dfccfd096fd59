import type { AddressFamily } from '../../domain/network.js';
import { SWEEP_ITEMS_MAX } from '../../domain/sweep-plan.js';
import type { Database } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { findCandidates, findOpenCandidates } from './sweep-candidates.sql.js';
import { findNeeds } from './sweep-needs.sql.js';
import { UNSIGNED_AND_WAITING_FOR } from './sweep-outcome-handler.service.js';
import { Sweep } from './sweep.entity.js';

/** A balance that can be swept, and whether its intent is still open. */
export type CandidateRow = RowOf<typeof findCandidates> & { readonly isOpen: boolean };
/** Funds of one token that waiting payments of a chain miss. */
export type NeedRow = RowOf<typeof findNeeds>;

/** Returns the funds that waiting payments miss, by chain. */
export async function needsByChain(database: Database): Promise<ReadonlyMap<string, readonly NeedRow[]>> {
  return Map.groupBy(await database.rows(findNeeds(UNSIGNED_AND_WAITING_FOR)), ({ chainRef }) => chainRef);
}

/** Returns the largest balances that can be swept. Those of open intents are included only for needed tokens. */
export async function dueCandidates(
  database: Database,
  families: readonly AddressFamily[],
  needs: ReadonlyMap<string, readonly NeedRow[]>,
): Promise<readonly CandidateRow[]> {
  const ended = await database.rows(findCandidates(families, SWEEP_ITEMS_MAX));
  const needed = [...needs.values()].flat();
  const open = needed.length === 0 ? [] : await database.rows(findOpenCandidates(families, SWEEP_ITEMS_MAX, needed));
  return [...ended.map((row) => ({ ...row, isOpen: false })), ...open.map((row) => ({ ...row, isOpen: true }))];
}

/** Returns the chains with a threshold sweep that has not ended: later balances share the next one. */
export async function busyChains(database: Database): Promise<ReadonlySet<string>> {
  const sweeps = await database.em().find(Sweep, { finishedAt: null, reason: 'threshold' });
  return new Set(sweeps.map(({ chainRef }) => chainRef));
}
