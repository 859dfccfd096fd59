import { defineEntity, p } from '@mikro-orm/core';
import { UnitsType, wholeNumber } from '../../platform/database/columns.js';
import type { TransactionPurpose } from './transaction-order.js';

/**
 * `signed` until the chain has made it final, broadcast or not. `reverted` also when the chain mined it and the token
 * paid no recipient. `abandoned` when its development chain was replaced. `superseded` when the chain mined another
 * transaction with its nonce, which a restored database did not contain. `expired` when final blocks prove that it was not
 * mined before its expiry. Both are never mined, and their order may get another transaction.
 */
export type ChainTransactionStatus = 'signed' | 'succeeded' | 'reverted' | 'abandoned' | 'superseded' | 'expired';

const ChainTransactionSchema = defineEntity({
  name: 'ChainTransaction',
  tableName: 'chain_transaction',
  properties: {
    id: p.text().primary(),
    chainRef: p.text(),
    purpose: p.text().$type<TransactionPurpose>(),
    purposeId: p.text(),
    sender: p.text(),
    nonce: wholeNumber(),
    destination: p.text(),
    value: p.type(UnitsType),
    data: p.text(),
    gasLimit: wholeNumber(),
    tokenContract: p.text(),
    amount: p.type(UnitsType),
    costMax: p.type(UnitsType).strictNullable(),
    validAfterHeight: wholeNumber().strictNullable(),
    validAfterHash: p.text().strictNullable(),
    validUntil: wholeNumber().strictNullable(),
    status: p.text().$type<ChainTransactionStatus>(),
    // Truncated: rounded up, it would be due a moment later.
    dueAt: p.datetime(3).defaultRaw(`date_trunc('milliseconds'::text, now())`),
    broadcastAt: p.datetime(3).strictNullable(),
    replaceWantedAt: p.datetime(3).strictNullable(),
    minedHash: p.text().strictNullable(),
    minedHeight: wholeNumber().strictNullable(),
    feePaid: p.type(UnitsType).strictNullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    finishedAt: p.datetime(3).strictNullable(),
  },
});

/**
 * An outgoing transaction: one nonce of the sender, and its purpose. Its signed versions are its attempts. The chain
 * mines one of them at most, so there is one payment.
 *
 * Where transactions expire instead (solana, tron), it has one attempt alone. `nonce` counts the transactions of the wallet there,
 * `data` is empty, and `costMax`, `validAfterHeight`, `validAfterHash` and `validUntil` are what `TransactionExpiry` says.
 */
export class ChainTransaction extends ChainTransactionSchema.class {}
ChainTransactionSchema.setClass(ChainTransaction);
