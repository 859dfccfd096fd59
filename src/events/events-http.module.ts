import { Module } from '@nestjs/common';
import { EventViewsService } from './event-views.service.js';
import { EventsController } from './events.controller.js';

/** Events over HTTP. */
@Module({ controllers: [EventsController], providers: [EventViewsService] })
export class EventsHttpModule {}
