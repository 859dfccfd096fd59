import { defineEntity, p } from '@mikro-orm/core';
import { wholeNumber } from '../../platform/database/columns.js';

const HotWalletSchema = defineEntity({
  name: 'HotWallet',
  tableName: 'hot_wallet',
  properties: {
    chainRef: p.text().primary(),
    address: p.text(),
    addressKey: p.text(),
    derivationPath: p.text(),
    nextNonce: wholeNumber().defaultRaw('0'),
    chainNonce: wholeNumber().strictNullable(),
    frozenReason: p.text().strictNullable(),
    distrustedAt: p.datetime(3).strictNullable().defaultRaw('now()'),
    completeHeight: wholeNumber().strictNullable(),
    databaseIdentity: p.text().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

/**
 * The address that pays withdrawals on one chain. `nextNonce` is the first nonce that no transaction of ours uses.
 * `chainNonce` is the chain's own count, which exceeds it only after a restore; null until the chain was asked since a
 * vault started, which was `distrustedAt`. Where transactions expire it only says that all of them are recorded, up to the
 * final block `completeHeight`. A frozen wallet signs nothing. `databaseIdentity` is the database on which it last took a nonce
 * (`database-identity.ts`), or the one that was detected as another since.
 */
export class HotWallet extends HotWalletSchema.class {}
HotWalletSchema.setClass(HotWallet);
