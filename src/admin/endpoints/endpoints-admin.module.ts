import { Module } from '@nestjs/common';
import { StaffModule } from '../../staff/staff.module.js';
import { WebhooksModule } from '../../webhooks/webhooks.module.js';
import { EndpointActionsAdminController } from './endpoint-actions.controller.js';
import { EndpointsAdminController } from './endpoints.controller.js';

/** Webhook endpoints in the console. */
@Module({
  imports: [StaffModule, WebhooksModule],
  controllers: [EndpointsAdminController, EndpointActionsAdminController],
})
export class EndpointsAdminModule {}
