import { defineEntity, p } from '@mikro-orm/core';
import { UnitsType, WholeNumberType } from '../../platform/database/columns.js';

const BalanceSnapshotSchema = defineEntity({
  name: 'BalanceSnapshot',
  tableName: 'stocktaking',
  properties: {
    chainRef: p.text().primary(),
    tokenContract: p.text().primary(),
    height: p.type(WholeNumberType),
    blockHash: p.text(),
    nonce: p.type(WholeNumberType),
    amount: p.type(UnitsType),
    takenAt: p.datetime(3).defaultRaw('now()'),
    booked: p.type(UnitsType).strictNullable(),
    bookedHeight: p.type(WholeNumberType).strictNullable(),
    bookedNonce: p.type(WholeNumberType).strictNullable(),
    missing: p.type(UnitsType).defaultRaw('0'),
    comparedAt: p.datetime(3).strictNullable(),
  },
});

/**
 * What the chain says of a hot wallet at the final block `height`: what it holds of a token, and how many transactions it
 * has sent. And how that compared when it was last compared with the books, at `bookedHeight`: what they said that it holds
 * (null: never compared), how much less the chain had, and when that was. Compared once everything mined up to `height` is written down.
 */
export class BalanceSnapshot extends BalanceSnapshotSchema.class {}
BalanceSnapshotSchema.setClass(BalanceSnapshot);
