import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { IntentsModule } from '../payments/intents/intents.module.js';
import { NetworksModule } from '../offers/networks.module.js';
import { SandboxOrders } from './sandbox-orders.js';
import { SandboxPayer } from './sandbox-payer.service.js';
import { SandboxTreasury } from './sandbox-treasury.service.js';
import { SandboxController } from './sandbox.controller.js';
import { SandboxService } from './sandbox.service.js';

/** Features of the sandbox alone: paying and expiring intents on demand. */
@Module({
  imports: [IdempotencyModule, IntentsModule, NetworksModule],
  controllers: [SandboxController],
  providers: [SandboxService, SandboxOrders, SandboxPayer, SandboxTreasury],
  exports: [SandboxService, SandboxPayer, SandboxTreasury],
})
export class SandboxModule {}
