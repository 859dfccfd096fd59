import { defineEntity, p } from '@mikro-orm/core';
import { UnitsType, wholeNumber } from '../../platform/database/columns.js';

const BalanceSnapshotSchema = defineEntity({
  name: 'BalanceSnapshot',
  tableName: 'stocktaking',
  properties: {
    chainRef: p.text().primary(),
    tokenContract: p.text().primary(),
    height: wholeNumber(),
    blockHash: p.text(),
    nonce: wholeNumber().strictNullable(),
    amount: p.type(UnitsType),
    takenAt: p.datetime(3).defaultRaw('now()'),
    booked: p.type(UnitsType).strictNullable(),
    bookedHeight: wholeNumber().strictNullable(),
    bookedNonce: wholeNumber().strictNullable(),
    missing: p.type(UnitsType).defaultRaw('0'),
    comparedAt: p.datetime(3).strictNullable(),
  },
});

/**
 * The balance of a hot wallet in one token and its transaction count, as the chain states them at the final block
 * `height`; and the result of the last comparison with the books, at `bookedHeight`: the booked balance (null: never
 * compared), the missing amount and the time. A snapshot is compared once every transaction mined up to `height` is
 * recorded. Where the chain counts no transactions, `nonce` is null, and a snapshot is compared once no transaction is open
 * that is older.
 */
export class BalanceSnapshot extends BalanceSnapshotSchema.class {}
BalanceSnapshotSchema.setClass(BalanceSnapshot);
