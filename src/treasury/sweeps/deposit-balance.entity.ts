import { defineEntity, p } from '@mikro-orm/core';
import { UnitsType, wholeNumber } from '../../platform/database/columns.js';

const DepositBalanceSchema = defineEntity({
  name: 'DepositBalance',
  tableName: 'deposit_balance',
  properties: {
    chainRef: p.text().primary(),
    tokenContract: p.text().primary(),
    addressId: wholeNumber().primary(),
    received: p.type(UnitsType),
    swept: p.type(UnitsType).defaultRaw('0'),
    funded: p.type(UnitsType).defaultRaw('0'),
    burned: p.type(UnitsType).defaultRaw('0'),
    sweepId: p.text().strictNullable(),
    failures: p.integer().defaultRaw('0'),
    retryAt: p.datetime(3).strictNullable(),
    setAsideReason: p.text().strictNullable(),
  },
});

/**
 * The final deposits of one address in one token (a trigger adds them up), and the amount that sweeps took from it. Of the
 * coin, where an address pays for its sweeps: what the hot wallet sent it for that (`funded`), and what they cost (`burned`).
 * `sweepId` is set while one is open. A balance that was set aside is not swept again before an operator retries it.
 */
export class DepositBalance extends DepositBalanceSchema.class {}
DepositBalanceSchema.setClass(DepositBalance);
