import { defineEntity, p } from '@mikro-orm/core';
import { wholeNumber } from '../../platform/database/columns.js';

const DelegationSchema = defineEntity({
  name: 'Delegation',
  tableName: 'delegation',
  properties: {
    chainRef: p.text().primary(),
    addressId: wholeNumber().primary(),
    delegate: p.text(),
    sinceHeight: wholeNumber(),
  },
});

/** The contract that a deposit address delegates to on one chain, as a final sweep proved it. */
export class Delegation extends DelegationSchema.class {}
DelegationSchema.setClass(Delegation);
