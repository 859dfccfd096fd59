import { Module } from '@nestjs/common';
import { VaultState } from './vault-state.service.js';
import { VaultHeartbeat } from './vault-heartbeat.service.js';

/** Whether a vault is open, here or in any process. */
@Module({ providers: [VaultState, VaultHeartbeat], exports: [VaultState, VaultHeartbeat] })
export class VaultStatusModule {}
