import { defineEntity, p } from '@mikro-orm/core';
import { UnitsType, wholeNumber } from '../../../platform/database/columns.js';
import type { SweepWaitingReason } from '../sweep-waiting.js';

const EnergyReturnSchema = defineEntity({
  name: 'EnergyReturn',
  tableName: 'energy_return',
  properties: {
    id: p.text().primary(),
    loanId: p.text(),
    chainRef: p.text(),
    addressId: wholeNumber(),
    stake: p.type(UnitsType),
    waitingReason: p.text().$type<SweepWaitingReason>().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    signedAt: p.datetime(3).strictNullable(),
    finishedAt: p.datetime(3).strictNullable(),
    returned: p.type(UnitsType).strictNullable(),
    returnedHeight: wholeNumber().strictNullable(),
  },
});

/**
 * Takes the energy of a loan back once its sweep has ended, whatever came of that. `returned` is the stake by the final block:
 * 0 when it failed, so that another return follows, and null while it is open.
 */
export class EnergyReturn extends EnergyReturnSchema.class {}
EnergyReturnSchema.setClass(EnergyReturn);
