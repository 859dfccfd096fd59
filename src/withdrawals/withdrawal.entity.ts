import { defineEntity, p } from '@mikro-orm/core';
import type { Environment, Network } from '../domain/network.js';
import type { FeeStrategy, WaitingReason } from '../domain/outgoing-payment.js';
import type { FailureCode, WithdrawalStatus } from '../domain/withdrawal.js';
import { UnitsType, wholeNumber } from '../platform/database/columns.js';

const WithdrawalSchema = defineEntity({
  name: 'Withdrawal',
  tableName: 'withdrawal',
  properties: {
    id: p.text().primary(),
    merchantId: p.text(),
    environment: p.text().$type<Environment>(),
    pocketId: p.text(),
    chainRef: p.text(),
    network: p.text().$type<Network>(),
    token: p.text(),
    tokenContract: p.text(),
    tokenDecimals: p.integer(),
    minorUnitExponent: p.integer(),
    amountCents: wholeNumber(),
    amount: p.type(UnitsType),
    networkFeeCents: wholeNumber(),
    feeAmount: p.type(UnitsType),
    destination: p.text(),
    destinationKey: p.text(),
    feeStrategy: p.text().$type<FeeStrategy>(),
    reference: p.text().strictNullable(),
    status: p.text().$type<WithdrawalStatus>(),
    waitingReason: p.text().$type<WaitingReason>().strictNullable(),
    releasedAt: p.datetime(3).strictNullable(),
    signedAt: p.datetime(3).strictNullable(),
    txHash: p.text().strictNullable(),
    failureCode: p.text().$type<FailureCode>().strictNullable(),
    failureMessage: p.text().strictNullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    completedAt: p.datetime(3).strictNullable(),
    apiKeyId: p.text().strictNullable(),
    requestId: p.text().strictNullable(),
  },
});

/**
 * A merchant's order to pay out of a pocket. Its terms never change, and it ends once (both guarded by a trigger). `apiKeyId`
 * and `requestId` name the call that created it; null for older ones.
 */
export class Withdrawal extends WithdrawalSchema.class {}
WithdrawalSchema.setClass(Withdrawal);
