import { Module } from '@nestjs/common';
import { PoolFiller } from './pool-filler.service.js';
import { VaultState } from './vault-state.service.js';
import { WalletPool } from './wallet-pool.service.js';

/** Addresses derived ahead, and their assignment. */
@Module({ providers: [WalletPool, PoolFiller, VaultState], exports: [WalletPool, PoolFiller, VaultState] })
export class WalletsModule {}
