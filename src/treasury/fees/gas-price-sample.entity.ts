import { defineEntity, p } from '@mikro-orm/core';
import type { PaymentConditions } from '../../chains/expiring.js';
import { UnitsType, wholeNumber } from '../../platform/database/columns.js';

const GasPriceSampleSchema = defineEntity({
  name: 'GasPriceSample',
  tableName: 'fee_round',
  properties: {
    id: wholeNumber().primary().generated('identity'),
    chainRef: p.text(),
    baseFee: p.type(UnitsType).strictNullable(),
    tipStandard: p.type(UnitsType).strictNullable(),
    tipFast: p.type(UnitsType).strictNullable(),
    details: p.json().$type<PaymentConditions>().strictNullable(),
    takenAt: p.datetime(3),
  },
});

/**
 * The fees of a chain at one moment: gas prices in wei per gas on EVM networks; where transactions expire `details`, with the
 * newest block, instead.
 */
export class GasPriceSample extends GasPriceSampleSchema.class {}
GasPriceSampleSchema.setClass(GasPriceSample);
