import { defineEntity, p } from '@mikro-orm/core';
import { UnitsType, wholeNumber } from '../../platform/database/columns.js';

const GasPriceSampleSchema = defineEntity({
  name: 'GasPriceSample',
  tableName: 'fee_round',
  properties: {
    id: wholeNumber().primary().generated('identity'),
    chainRef: p.text(),
    baseFee: p.type(UnitsType),
    tipStandard: p.type(UnitsType),
    tipFast: p.type(UnitsType),
    takenAt: p.datetime(3),
  },
});

/** The gas prices of a chain at one moment, in wei per gas. */
export class GasPriceSample extends GasPriceSampleSchema.class {}
GasPriceSampleSchema.setClass(GasPriceSample);
