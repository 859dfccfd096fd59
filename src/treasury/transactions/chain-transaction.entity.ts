import { defineEntity, p } from '@mikro-orm/core';
import { UnitsType, WholeNumberType } from '../../platform/database/columns.js';
import type { TransactionPurpose } from './transaction-order.js';

/**
 * `signed` until the chain has made it final, whether anybody has broadcast it yet or not. `reverted` also when the chain
 * took it and the token paid nobody. `abandoned` when the chain
 * itself is gone, which only development chains are. `superseded` when the chain has taken another transaction with its
 * nonce, which a restored database had forgotten: it is never mined, and its order may have another beside it.
 */
export type ChainTransactionStatus = 'signed' | 'succeeded' | 'reverted' | 'abandoned' | 'superseded';

const ChainTransactionSchema = defineEntity({
  name: 'ChainTransaction',
  tableName: 'chain_transaction',
  properties: {
    id: p.text().primary(),
    chainRef: p.text(),
    purpose: p.text().$type<TransactionPurpose>(),
    purposeId: p.text(),
    sender: p.text(),
    nonce: p.type(WholeNumberType),
    destination: p.text(),
    value: p.type(UnitsType),
    data: p.text(),
    gasLimit: p.type(WholeNumberType),
    tokenContract: p.text(),
    amount: p.type(UnitsType),
    status: p.text().$type<ChainTransactionStatus>(),
    // Rounded up, what is due now would be due in a moment.
    dueAt: p.datetime(3).defaultRaw(`date_trunc('milliseconds'::text, now())`),
    broadcastAt: p.datetime(3).strictNullable(),
    replaceWantedAt: p.datetime(3).strictNullable(),
    minedHash: p.text().strictNullable(),
    minedHeight: p.type(WholeNumberType).strictNullable(),
    feePaid: p.type(UnitsType).strictNullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    finishedAt: p.datetime(3).strictNullable(),
  },
});

/**
 * An outgoing transaction of ours: one place in the sender's sequence of nonces, and what it is for. Its signed versions
 * are its attempts; whichever of them the chain takes, there is one payment.
 */
export class ChainTransaction extends ChainTransactionSchema.class {}
ChainTransactionSchema.setClass(ChainTransaction);
