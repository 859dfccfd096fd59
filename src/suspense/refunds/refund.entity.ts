import { defineEntity, p } from '@mikro-orm/core';
import type { WithdrawalStatus } from '../../domain/withdrawal.js';
import type { RefundFailureCode, RefundWaitingReason } from './refund-standing.js';

const RefundSchema = defineEntity({
  name: 'Refund',
  tableName: 'deposit_return',
  properties: {
    id: p.text().primary(),
    depositId: p.text(),
    destination: p.text(),
    destinationKey: p.text(),
    status: p.text().$type<WithdrawalStatus>(),
    waitingReason: p.text().$type<RefundWaitingReason>().strictNullable(),
    signedAt: p.datetime(3).strictNullable(),
    txHash: p.text().strictNullable(),
    failureCode: p.text().$type<RefundFailureCode>().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    endedAt: p.datetime(3).strictNullable(),
  },
});

/**
 * An order of staff to pay an unattributed deposit out to an address. It pays the whole deposit, whose row has chain, token
 * and amount. Its terms never change, it ends once, and a deposit has at most one that has not failed.
 */
export class Refund extends RefundSchema.class {}
RefundSchema.setClass(Refund);
