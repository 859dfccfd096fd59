import { defineEntity, p } from '@mikro-orm/core';
import { WholeNumberType } from '../platform/database/columns.js';

const HotWalletSchema = defineEntity({
  name: 'HotWallet',
  tableName: 'hot_wallet',
  properties: {
    chainRef: p.text().primary(),
    address: p.text(),
    addressKey: p.text(),
    derivationPath: p.text(),
    nextNonce: p.type(WholeNumberType).defaultRaw('0'),
    frozenReason: p.text().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** The address that pays withdrawals on one chain, and the next nonce of it that nothing uses. Frozen, it signs nothing. */
export class HotWallet extends HotWalletSchema.class {}
HotWalletSchema.setClass(HotWallet);
