import { defineEntity, p } from '@mikro-orm/core';
import { UnitsType, wholeNumber } from '../../platform/database/columns.js';

const SweepItemSchema = defineEntity({
  name: 'SweepItem',
  tableName: 'sweep_item',
  properties: {
    sweepId: p.text().primary(),
    position: p.integer().primary(),
    chainRef: p.text(),
    tokenContract: p.text(),
    addressId: wholeNumber(),
    expected: p.type(UnitsType),
    authorizationNonce: wholeNumber().strictNullable(),
    opensAccount: p.boolean().strictNullable(),
    closesAccount: p.boolean().strictNullable(),
    costMax: p.type(UnitsType).strictNullable(),
    swept: p.type(UnitsType).strictNullable(),
    sweptHeight: wholeNumber().strictNullable(),
    burned: p.type(UnitsType).strictNullable(),
    burnedHeight: wholeNumber().strictNullable(),
  },
});

/**
 * One balance in a sweep. `authorizationNonce` is the address's own nonce where it has to delegate first. `swept` is
 * the amount that reached the hot wallet by the final receipt: 0 when nothing did, null while the sweep is open.
 * `opensAccount` and `closesAccount` belong to chains whose transactions expire: whether it opens the hot wallet's account of
 * the token first, and closes the address's own afterwards. `costMax` is the most that the address itself pays for the sweep,
 * in smallest units of the coin, and `burned` what it paid; null where the hot wallet pays.
 */
export class SweepItem extends SweepItemSchema.class {}
SweepItemSchema.setClass(SweepItem);
