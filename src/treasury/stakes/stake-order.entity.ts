import { defineEntity, p } from '@mikro-orm/core';
import type { StakeMove } from '../../chains/stake-move.js';
import { UnitsType, wholeNumber } from '../../platform/database/columns.js';
import type { SweepWaitingReason } from '../sweeps/sweep-waiting.js';

const StakeOrderSchema = defineEntity({
  name: 'StakeOrder',
  tableName: 'stake_order',
  properties: {
    id: p.text().primary(),
    chainRef: p.text(),
    move: p.text().$type<StakeMove['kind']>(),
    amount: p.type(UnitsType),
    isAdopted: p.boolean().default(false),
    waitingReason: p.text().$type<SweepWaitingReason>().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    signedAt: p.datetime(3).strictNullable(),
    finishedAt: p.datetime(3).strictNullable(),
    succeeded: p.boolean().strictNullable(),
    finalHeight: wholeNumber().strictNullable(),
  },
});

/**
 * An operator's order to change the stake of a hot wallet by `amount`, in smallest units of the coin; a withdrawal takes all
 * that is due, and has none. A chain has one open order, beside those that were adopted after a restore. An order has one
 * transaction: one that failed or expired ends it, and so does its cancellation. `succeeded` is null while it is open.
 */
export class StakeOrder extends StakeOrderSchema.class {}
StakeOrderSchema.setClass(StakeOrder);
