import { defineEntity, p } from '@mikro-orm/core';
import { UnitsType, WholeNumberType } from '../../platform/database/columns.js';

const DepositBalanceSchema = defineEntity({
  name: 'DepositBalance',
  tableName: 'deposit_balance',
  properties: {
    chainRef: p.text().primary(),
    tokenContract: p.text().primary(),
    addressId: p.type(WholeNumberType).primary(),
    received: p.type(UnitsType),
    swept: p.type(UnitsType).defaultRaw('0'),
    sweepId: p.text().strictNullable(),
    failures: p.integer().defaultRaw('0'),
    retryAt: p.datetime(3).strictNullable(),
    setAsideReason: p.text().strictNullable(),
  },
});

/**
 * What final deposits brought to one address in one token (a trigger adds them up), and what sweeps took from it. `sweepId`
 * while one is under way. What is set aside is not swept again before staff say so.
 */
export class DepositBalance extends DepositBalanceSchema.class {}
DepositBalanceSchema.setClass(DepositBalance);
