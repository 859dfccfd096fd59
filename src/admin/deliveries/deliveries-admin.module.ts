import { Module } from '@nestjs/common';
import { StaffModule } from '../../staff/staff.module.js';
import { WebhooksModule } from '../../webhooks/webhooks.module.js';
import { DeliveriesAdminController } from './deliveries.controller.js';
import { ReplaysAdminController } from './replays.controller.js';

/** Webhook deliveries in the console, and sending them again. */
@Module({ imports: [StaffModule, WebhooksModule], controllers: [DeliveriesAdminController, ReplaysAdminController] })
export class DeliveriesAdminModule {}
