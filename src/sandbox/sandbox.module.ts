import { Module } from '@nestjs/common';
import { IntentsModule } from '../payments/intents/intents.module.js';
import { NetworksModule } from '../offers/networks.module.js';
import { SandboxOrders } from './sandbox-orders.js';
import { SandboxPayer } from './sandbox-payer.service.js';
import { SandboxTreasury } from './sandbox-treasury.service.js';
import { SandboxService } from './sandbox.service.js';

/** Features of the sandbox alone: paying and expiring intents on demand. */
@Module({
  imports: [IntentsModule, NetworksModule],
  providers: [SandboxService, SandboxOrders, SandboxPayer, SandboxTreasury],
  exports: [SandboxService, SandboxPayer, SandboxTreasury],
})
export class SandboxModule {}
