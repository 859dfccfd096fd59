import { defineEntity, p } from '@mikro-orm/core';
import { WholeNumberType } from '../../platform/database/columns.js';

const HotWalletSchema = defineEntity({
  name: 'HotWallet',
  tableName: 'hot_wallet',
  properties: {
    chainRef: p.text().primary(),
    address: p.text(),
    addressKey: p.text(),
    derivationPath: p.text(),
    nextNonce: p.type(WholeNumberType).defaultRaw('0'),
    chainNonce: p.type(WholeNumberType).strictNullable(),
    frozenReason: p.text().strictNullable(),
    databaseIdentity: p.text().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

/**
 * The address that pays withdrawals on one chain. `nextNonce` is the next one that nothing of ours uses, `chainNonce` what
 * the chain says of that; it is never above, but after a restore. Null: nobody has asked the chain since a vault started.
 * Frozen, the wallet signs nothing. `databaseIdentity` tells the database on which it last took a nonce
 * (`database-identity.ts`), or the one that was found to be another since.
 */
export class HotWallet extends HotWalletSchema.class {}
HotWalletSchema.setClass(HotWallet);
