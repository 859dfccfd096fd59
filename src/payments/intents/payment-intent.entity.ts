import { defineEntity, p } from '@mikro-orm/core';
import type { IntentFailure, IntentStatus } from '../../domain/intent-state.js';
import type { Environment, Network } from '../../domain/network.js';
import { UnitsType, wholeNumber } from '../../platform/database/columns.js';
/** The merchant's own keys; `blockchain_address` is added on the way out, never stored here. */
export type IntentMetadata = Record<string, string | number | boolean>;

const PaymentIntentSchema = defineEntity({
  name: 'PaymentIntent',
  tableName: 'payment_intent',
  properties: {
    id: p.text().primary(),
    merchantId: p.text(),
    environment: p.text().$type<Environment>(),
    status: p.text().$type<IntentStatus>(),
    failureCode: p.text().$type<IntentFailure>().strictNullable(),
    amountCents: wholeNumber(),
    currency: p.text(),
    settlementCurrency: p.text(),
    network: p.text().$type<Network>(),
    token: p.text(),
    reference: p.text().strictNullable(),
    metadata: p.json().$type<IntentMetadata>().defaultRaw(`'{}'`),
    toleranceBps: p.integer().default(0),
    chainRef: p.text().strictNullable(),
    tokenContract: p.text().strictNullable(),
    tokenDecimals: p.integer().strictNullable(),
    priceRoundId: p.text().strictNullable(),
    tokenPrice: p.text().strictNullable(),
    tokenPriceCents: wholeNumber().strictNullable(),
    cryptoAmount: p.type(UnitsType).strictNullable(),
    address: p.text().strictNullable(),
    receivedCryptoAmount: p.type(UnitsType).defaultRaw('0'),
    receivedAmountCents: wholeNumber().defaultRaw('0'),
    overpaidAmountCents: wholeNumber().defaultRaw('0'),
    acceptedShortfallCents: wholeNumber().defaultRaw('0'),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    expiresAt: p.datetime(3),
    completedAt: p.datetime(3).strictNullable(),
    dueAt: p.datetime(3).strictNullable(),
    apiKeyId: p.text().strictNullable(),
    requestId: p.text().strictNullable(),
  },
});

/**
 * A merchant's request to be paid an amount. Amounts: `*Cents` in fiat minor units, `*CryptoAmount` in
 * smallest units. `dueAt` is when its deadline may decide it; null while only staff can. `apiKeyId` and `requestId` name
 * the call that created it; null for older ones.
 */
export class PaymentIntent extends PaymentIntentSchema.class {}
PaymentIntentSchema.setClass(PaymentIntent);
