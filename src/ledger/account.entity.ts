import { defineEntity, p } from '@mikro-orm/core';
import type { Environment } from '../domain/network.js';
import { UnitsType, WholeNumberType } from '../platform/database/columns.js';
/**
 * What is held for somebody: `suspense` for deposits that belong to no intent and `frozen` for those of senders on the
 * sanctions list, until staff decide; `returning` for what they have paid out to an address, until it has left.
 */
export const HOLDING_ACCOUNT_KINDS = ['suspense', 'frozen', 'returning'] as const;
export type HoldingAccountKind = (typeof HOLDING_ACCOUNT_KINDS)[number];
/**
 * Accounts of no merchant. `chain` stands for the outside: what it owes is what lies on our addresses. `fee_income` is what
 * merchants were charged for network fees, `network_fees` what was paid for gas. `receivable` is what is missing of
 * deposits that the chain took back after they were credited, and what hot wallets paid without an order. `capital` is what
 * operators put into hot wallets.
 */
export type OwnAccountKind = 'chain' | 'fee_income' | 'network_fees' | 'receivable' | 'capital' | HoldingAccountKind;
/** One side of the books. */
export type AccountKind = 'pocket_available' | 'pocket_held' | OwnAccountKind;

const AccountSchema = defineEntity({
  name: 'Account',
  tableName: 'account',
  properties: {
    id: p.type(WholeNumberType).primary().generated('identity'),
    kind: p.text().$type<AccountKind>(),
    environment: p.text().$type<Environment>(),
    asset: p.text(),
    merchantId: p.text().strictNullable(),
    balance: p.type(UnitsType).strictNullable(),
  },
});

/**
 * One side of the books for one asset. Pockets and what is held carry a cached balance, which is never below zero; the
 * other accounts would be hot rows.
 */
export class Account extends AccountSchema.class {}
AccountSchema.setClass(Account);
