import { Module } from '@nestjs/common';
import { EventsService } from './events.service.js';

/**
 * Committed facts. The relay is provided where its
 * `DELIVERY_FANOUT` is bound, because this module knows nobody who is told.
 */
@Module({ providers: [EventsService], exports: [EventsService] })
export class EventsModule {}
