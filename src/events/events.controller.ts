import { Controller, Get, Param, Query } from '@nestjs/common';
import { CurrentCaller } from '../auth/caller.js';
import type { Caller } from '../auth/caller.js';
import { RequireScope } from '../auth/scopes.js';
import { ApiOperationDocs } from '../http/openapi-operation.decorator.js';
import { type ListPage, listPage } from '../http/pagination.js';
import type { EventBody } from './event-envelope.js';
import { EventViewsService } from './event-views.service.js';
import { type EventListQuery, eventExample, eventListQuery, eventListSchema, eventSchema } from './events.schema.js';

const TAG = 'Events';

/** The events of a merchant, as they are delivered. */
@Controller('v1/events')
@RequireScope('read')
export class EventsController {
  constructor(private readonly events: EventViewsService) {}

  @Get(':id')
  @ApiOperationDocs({
    operationId: 'getEvent',
    summary: 'Retrieve an event',
    tag: TAG,
    success: { description: 'The event, exactly as it is delivered.', schema: eventSchema, example: eventExample },
  })
  get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<EventBody> {
    return this.events.get(caller, id);
  }

  @Get()
  @ApiOperationDocs({
    operationId: 'listEvents',
    summary: 'List events',
    description:
      'Events are listed in the order of their `sequence`, the newest first. With `after_sequence` they come in ascending ' +
      'order: to catch up, handle each event, remember its `sequence`, and request the events after it until `has_more` is ' +
      'false. Sequences have no gaps: stop when the next one of an unfiltered list is not the last one plus 1.',
    tag: TAG,
    success: {
      description: 'One page: newest first, or oldest first with `after_sequence`.',
      schema: eventListSchema,
      example: listPage([eventExample], 25),
    },
  })
  list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: eventListQuery }) query: EventListQuery,
  ): Promise<ListPage<EventBody>> {
    return this.events.list(caller, query);
  }
}
