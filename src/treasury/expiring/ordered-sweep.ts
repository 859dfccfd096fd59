import { isDeepStrictEqual } from 'node:util';
import type { ExpiringSweeper, PlannedSweep, SweepTarget } from '../../chains/expiring-sweeps.js';
import type { PaymentConditions } from '../../chains/expiring.js';
import type { SweepOrder } from '../transactions/transaction-order.js';

/** What a sweep is planned with. */
interface SweepTerms {
  readonly sweeper: ExpiringSweeper;
  readonly hotWallet: string;
  readonly sequence: number;
  readonly conditions: PaymentConditions;
}

/** Returns where a sweep brings its funds. */
export const sweepTargetOf = ({ missingAccounts }: SweepOrder, hotWallet: string): SweepTarget => ({
  hotWallet,
  missingAccounts,
});

/** Returns the transaction of a sweep. Throws unless it moves exactly the funds of the order. */
export function plannedSweepOf(
  order: SweepOrder,
  { sweeper, hotWallet, sequence, conditions }: SweepTerms,
): PlannedSweep {
  const sources = order.sources.map(({ owner, funds }) => ({ owner, funds }));
  const fee = { strategy: 'standard', sequence, costMax: order.costMax } as const;
  const planned = sweeper.plan(sweepTargetOf(order, hotWallet), sources, fee, conditions);
  if (!isDeepStrictEqual(planned.sources, sources)) throw new Error('A sweep does not fit into one transaction.');
  return planned;
}
