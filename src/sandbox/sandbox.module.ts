import { Module } from '@nestjs/common';
import { IntentsModule } from '../payments/intents/intents.module.js';
import { NetworksModule } from '../offers/networks.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { InboxReceiver } from './inbox/inbox-receiver.service.js';
import { WebhookInboxes } from './inbox/webhook-inboxes.service.js';
import { SandboxControls } from './controls/sandbox-controls.service.js';
import { SandboxOrders } from './sandbox-orders.js';
import { SandboxPayer } from './sandbox-payer.service.js';
import { SandboxTreasury } from './sandbox-treasury.service.js';
import { SandboxService } from './sandbox.service.js';

/** Features of the sandbox alone: paying and expiring intents on demand. */
@Module({
  imports: [IntentsModule, NetworksModule, WebhooksModule],
  providers: [
    SandboxService,
    SandboxControls,
    SandboxOrders,
    SandboxPayer,
    SandboxTreasury,
    InboxReceiver,
    WebhookInboxes,
  ],
  exports: [SandboxService, SandboxControls, SandboxPayer, SandboxTreasury, InboxReceiver, WebhookInboxes],
})
export class SandboxModule {}
