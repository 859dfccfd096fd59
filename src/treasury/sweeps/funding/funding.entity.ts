import { defineEntity, p } from '@mikro-orm/core';
import { UnitsType, wholeNumber } from '../../../platform/database/columns.js';
import type { SweepWaitingReason } from '../sweep-waiting.js';

const FundingSchema = defineEntity({
  name: 'Funding',
  tableName: 'funding',
  properties: {
    id: p.text().primary(),
    sweepId: p.text(),
    chainRef: p.text(),
    addressId: wholeNumber(),
    amount: p.type(UnitsType),
    waitingReason: p.text().$type<SweepWaitingReason>().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    signedAt: p.datetime(3).strictNullable(),
    finishedAt: p.datetime(3).strictNullable(),
    arrived: p.type(UnitsType).strictNullable(),
    arrivedHeight: wholeNumber().strictNullable(),
  },
});

/**
 * Coins that the hot wallet sends to a deposit address, so that it can pay for its sweep. The sweep is signed once they are
 * there. `arrived` is the amount by the final block: 0 when nothing came, null while the funding is open.
 */
export class Funding extends FundingSchema.class {}
FundingSchema.setClass(Funding);
