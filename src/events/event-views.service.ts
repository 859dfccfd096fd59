import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { invalidParam, notFound } from '../domain/errors.js';
import type { Tenant } from '../domain/tenant.js';
import { Database, sql } from '../platform/database/database.js';
import type { EventBody } from './event-envelope.js';
import { eventPage } from './event-page.sql.js';
import type { EventListQuery } from './events.schema.js';

/** Reads events as they are delivered, so that a merchant can always recover without webhooks. */
@Injectable()
export class EventViewsService {
  constructor(private readonly database: Database) {}

  /** Returns one event of the tenant. An event appears once it has its sequence, moments after its commit. */
  async get(tenant: Tenant, id: string): Promise<EventBody> {
    const [event] = await this.database.query<{ body: string }>(
      `select body from event
        where id = $1 and merchant_id = $2 and environment = $3 and sequence is not null`,
      [id, tenant.merchantId, tenant.environment],
    );
    if (event === undefined) throw notFound('event');
    const body: EventBody = JSON.parse(event.body);
    return body;
  }

  /** Returns up to `limit + 1` events by sequence: newest first, or ascending with `after_sequence`. */
  async list(tenant: Tenant, query: EventListQuery): Promise<EventBody[]> {
    const em = this.database.em();
    const { starting_after: after } = query;
    const cursor = after === undefined ? null : await sequenceOf(em, tenant, after);
    const { text, parameters } = eventPage(tenant, query, cursor);
    const rows = await sql<{ body: string }>(em, text, parameters);
    return rows.map(({ body }): EventBody => JSON.parse(body));
  }
}

async function sequenceOf(em: EntityManager, tenant: Tenant, id: string): Promise<string> {
  const [event] = await sql<{ sequence: string }>(
    em,
    `select sequence from event where id = $1 and merchant_id = $2 and environment = $3 and sequence is not null`,
    [id, tenant.merchantId, tenant.environment],
  );
  if (event === undefined) throw invalidParam('starting_after', 'starting_after is not an event of yours.');
  return event.sequence;
}
