import { Module } from '@nestjs/common';
import { EventViewsService } from './event-views.service.js';
import { EventsController } from './events.controller.js';
import { EventsService } from './events.service.js';

/**
 * Events: committed facts for merchants. `WebhooksModule` provides the relay, because it binds `DELIVERY_FANOUT`.
 */
@Module({
  controllers: [EventsController],
  providers: [EventsService, EventViewsService],
  exports: [EventsService],
})
export class EventsModule {}
