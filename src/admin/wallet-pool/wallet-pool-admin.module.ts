import { Module } from '@nestjs/common';
import { PoolOperationsModule } from '../../payments/addresses/pool-operations.module.js';
import { VaultStatusModule } from '../../vault-status/vault-status.module.js';
import { WalletPoolController } from './wallet-pool.controller.js';

/** The address pools in the console. */
@Module({ imports: [PoolOperationsModule, VaultStatusModule], controllers: [WalletPoolController] })
export class WalletPoolAdminModule {}
