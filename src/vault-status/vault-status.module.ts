import { Module } from '@nestjs/common';
import { VaultState } from './vault-state.service.js';
import { VaultWatch } from './vault-watch.service.js';

/** Whether a vault is open, here or in any process. */
@Module({ providers: [VaultState, VaultWatch], exports: [VaultState, VaultWatch] })
export class VaultStatusModule {}
