import type { Database } from '../../../platform/database/database.js';
import type { MovedFunds } from './moved-funds.js';
import { itemsOfSweeps } from './signed-sweeps.sql.js';

/** Returns what sweeps move, by their ids. */
export async function fundsOfSweeps(
  database: Database,
  sweepIds: readonly string[],
): Promise<ReadonlyMap<string, readonly MovedFunds[]>> {
  const rows = sweepIds.length === 0 ? [] : await database.rows(itemsOfSweeps(sweepIds));
  const funds = Map.groupBy(rows, ({ sweepId }) => sweepId);
  return new Map(
    [...funds].map(([sweepId, items]) => [
      sweepId,
      items.map(({ owner, token, expected, opensAccount, closesAccount }) => {
        const accounts = { opensAccount: opensAccount === true, closesAccount: closesAccount === true };
        return { owner, token, amount: BigInt(expected), ...accounts };
      }),
    ]),
  );
}
