import { Module } from '@nestjs/common';
import { EventViewsService } from './event-views.service.js';
import { EventsController } from './events.controller.js';
import { EventsService } from './events.service.js';

/**
 * Committed facts. The relay is provided where its
 * `DELIVERY_FANOUT` is bound, because this module knows nobody who is told.
 */
@Module({
  controllers: [EventsController],
  providers: [EventsService, EventViewsService],
  exports: [EventsService],
})
export class EventsModule {}
