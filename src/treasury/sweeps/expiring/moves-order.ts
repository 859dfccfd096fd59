import type { SweptFunds } from '../../../chains/expiring-sweeps.js';
import type { Tx } from '../../../platform/database/database.js';
import type { RowOf } from '../../../platform/sql/sql.js';
import { TokenDecimals } from '../../expiring/token-decimals.js';
import type { SweepOrder } from '../../transactions/transaction-order.js';
import type { itemsOfSweep } from '../sweep-orders.sql.js';

type OrderedItem = Omit<RowOf<typeof itemsOfSweep>, 'authorizationNonce'>;

/** Returns the order of a sweep on a chain whose transactions expire, by its items in their order. Joins the transaction. */
export async function movesOrder(tx: Tx, chainRef: string, items: readonly OrderedItem[]): Promise<SweepOrder> {
  const decimals = await TokenDecimals.read(tx, chainRef);
  const fundsOf = ({ tokenContract: token, account, expected, closesAccount }: OrderedItem): SweptFunds => {
    if (closesAccount === null) throw new Error('An item of a sweep does not say whether it closes an account.');
    return { token, account, decimals: decimals.of(token), amount: BigInt(expected), closesAccount };
  };
  const sources = [...Map.groupBy(items, ({ deposit }) => deposit)].map(([owner, held]) => ({
    owner,
    index: held[0]?.index ?? -1,
    funds: held.map(fundsOf),
  }));
  const missingAccounts = items.filter(({ opensAccount }) => opensAccount).map(({ tokenContract }) => tokenContract);
  const [first] = items;
  const costMax = first === undefined || first.costMax === null ? null : BigInt(first.costMax);
  return { kind: 'sweep', chainRef, sources, missingAccounts, costMax };
}
