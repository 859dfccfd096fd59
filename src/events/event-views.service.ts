import { Injectable } from '@nestjs/common';
import { invalidParam, notFound } from '../domain/errors.js';
import type { Tenant } from '../domain/tenant.js';
import { type ListPage, listPage } from '../http/pagination.js';
import { Database } from '../platform/database/database.js';
import type { EventBody } from './event-envelope.js';
import { eventPage } from './event-page.sql.js';
import { findEvent } from './events.sql.js';
import type { EventListQuery } from './events.schema.js';

/** Reads events as they are delivered, so that a merchant can always recover without webhooks. */
@Injectable()
export class EventViewsService {
  constructor(private readonly database: Database) {}

  /** Returns one event of the tenant. An event appears once it has its sequence, moments after its commit. */
  async get(tenant: Tenant, id: string): Promise<EventBody> {
    const [event] = await this.database.rows(findEvent(id, tenant));
    if (event === undefined) throw notFound('event');
    const body: EventBody = JSON.parse(event.body);
    return body;
  }

  /** Returns one page of events by sequence: newest first, or ascending with `after_sequence`. */
  async list(tenant: Tenant, query: EventListQuery): Promise<ListPage<EventBody>> {
    const { starting_after: after } = query;
    const cursor = after === undefined ? null : await this.sequenceOf(tenant, after);
    const page = await this.database.rows(eventPage(tenant, query, cursor));
    return listPage(
      page.map(({ body }): EventBody => JSON.parse(body)),
      query.limit,
    );
  }

  private async sequenceOf(tenant: Tenant, id: string): Promise<string> {
    const [event] = await this.database.rows(findEvent(id, tenant));
    if (event === undefined) throw invalidParam('starting_after', 'starting_after is not an event of yours.');
    return event.sequence;
  }
}
