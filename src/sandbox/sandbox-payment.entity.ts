import { defineEntity, p } from '@mikro-orm/core';
import type { SolanaValidity } from '../devtools/devnet/solana/transaction-fate.js';
import type { TronValidity } from '../devtools/devnet/tron/transaction-fate.js';
import { UnitsType, wholeNumber } from '../platform/database/columns.js';
/** The blocks that can have a transaction that expires, in the words of its chain. */
export type SandboxValidity = SolanaValidity | TronValidity;

const SandboxPaymentSchema = defineEntity({
  name: 'SandboxPayment',
  tableName: 'sandbox_payment',
  properties: {
    id: p.text().primary(),
    intentId: p.text(),
    chainRef: p.text(),
    tokenContract: p.text(),
    toAddress: p.text(),
    amount: p.type(UnitsType),
    status: p.text().$type<'queued' | 'signed' | 'sent' | 'final' | 'failed'>(),
    sender: p.text().strictNullable(),
    nonce: wholeNumber().strictNullable(),
    /** Null on EVM networks, whose transactions do not expire. */
    validity: p.json().$type<SandboxValidity>().strictNullable(),
    rawTransaction: p.text().strictNullable(),
    txHash: p.text().strictNullable(),
    failure: p.text().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    dueAt: p.datetime(3).defaultRaw(`date_trunc('milliseconds'::text, now())`),
  },
});

/** An order to pay an intent from the sandbox's own wallet; the worker sends the signed bytes until the payment is final. */
export class SandboxPayment extends SandboxPaymentSchema.class {}
SandboxPaymentSchema.setClass(SandboxPayment);
