import { defineEntity, p } from '@mikro-orm/core';
import { UnitsType } from '../../platform/database/columns.js';

const TransactionAttemptSchema = defineEntity({
  name: 'TransactionAttempt',
  tableName: 'transaction_attempt',
  properties: {
    transactionId: p.text().primary(),
    number: p.integer().primary(),
    txHash: p.text(),
    rawTransaction: p.text(),
    maxFeePerGas: p.type(UnitsType),
    maxPriorityFeePerGas: p.type(UnitsType),
    soleOn: p.text().strictNullable(),
    signedAt: p.datetime(3).defaultRaw('now()'),
  },
});

/**
 * One signed version of an outgoing transaction. All attempts share its nonce, so the chain mines one of them at most. The
 * fees are prices of one gas, or of one compute unit. `soleOn` is the chain where transactions expire: a hash is unique there.
 */
export class TransactionAttempt extends TransactionAttemptSchema.class {}
TransactionAttemptSchema.setClass(TransactionAttempt);
