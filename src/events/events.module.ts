import { Module } from '@nestjs/common';
import { EventsService } from './events.service.js';

/**
 * Events: committed facts for merchants. `WebhooksModule` provides the relay, because it binds `DELIVERY_FANOUT`.
 */
@Module({ providers: [EventsService], exports: [EventsService] })
export class EventsModule {}
