import { defineEntity, p } from '@mikro-orm/core';
import { UnitsType, wholeNumber } from '../../../platform/database/columns.js';
import type { SweepWaitingReason } from '../sweep-waiting.js';

const EnergyLoanSchema = defineEntity({
  name: 'EnergyLoan',
  tableName: 'energy_loan',
  properties: {
    id: p.text().primary(),
    sweepId: p.text().strictNullable(),
    chainRef: p.text(),
    addressId: wholeNumber(),
    stake: p.type(UnitsType),
    waitingReason: p.text().$type<SweepWaitingReason>().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    signedAt: p.datetime(3).strictNullable(),
    finishedAt: p.datetime(3).strictNullable(),
    lent: p.type(UnitsType).strictNullable(),
    lentHeight: wholeNumber().strictNullable(),
  },
});

/**
 * Energy that the hot wallet lends to a deposit address for its sweep: that of so much `stake`, in smallest units of the coin.
 * The sweep is signed once the address has it. `lent` is the stake by the final block: 0 when nothing was lent, null while the
 * loan is open. One that was adopted after a restore has no sweep.
 */
export class EnergyLoan extends EnergyLoanSchema.class {}
EnergyLoanSchema.setClass(EnergyLoan);
