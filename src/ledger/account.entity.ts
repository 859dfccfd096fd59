import { defineEntity, p } from '@mikro-orm/core';
import type { Environment } from '../domain/network.js';
import { UnitsType, wholeNumber } from '../platform/database/columns.js';
/**
 * Accounts that hold other people's money: `suspense` for unattributed deposits and `frozen` for deposits of senders on the
 * sanctions list, until staff decide; `returning` for a refund until the chain has paid it.
 */
export const HOLDING_ACCOUNT_KINDS = ['suspense', 'frozen', 'returning'] as const;
export type HoldingAccountKind = (typeof HOLDING_ACCOUNT_KINDS)[number];
/**
 * Accounts of no merchant. `chain` is the outside world: its negative balance is the money on our addresses. `fee_income` is
 * the network fees that merchants were charged, `network_fees` the gas that was paid. `receivable` is the loss from credited
 * deposits that were reorged, and from payments of hot wallets without an order. `capital` is the money that operators put
 * into hot wallets.
 */
export type SystemAccountKind = 'chain' | 'fee_income' | 'network_fees' | 'receivable' | 'capital' | HoldingAccountKind;
/** The kind of an account. */
export type AccountKind = 'pocket_available' | 'pocket_held' | SystemAccountKind;

const AccountSchema = defineEntity({
  name: 'Account',
  tableName: 'account',
  properties: {
    id: wholeNumber().primary().generated('identity'),
    kind: p.text().$type<AccountKind>(),
    environment: p.text().$type<Environment>(),
    asset: p.text(),
    merchantId: p.text().strictNullable(),
    balance: p.type(UnitsType).strictNullable(),
  },
});

/**
 * An account for one asset. Pockets and holding accounts have a cached balance, which is never below zero. The others have
 * none, because they would be hot rows.
 */
export class Account extends AccountSchema.class {}
AccountSchema.setClass(Account);
