import { Module } from '@nestjs/common';
import { PoolFiller } from './pool-filler.service.js';
import { VaultState } from './vault-state.service.js';
import { VaultWatch } from './vault-watch.service.js';
import { WalletPool } from './wallet-pool.service.js';

/** Addresses derived ahead, and their assignment; whether a vault is there to derive them. */
@Module({
  providers: [WalletPool, PoolFiller, VaultState, VaultWatch],
  exports: [WalletPool, PoolFiller, VaultState, VaultWatch],
})
export class WalletsModule {}
