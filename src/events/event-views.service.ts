import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { invalidParam, notFound } from '../domain/errors.js';
import type { Tenant } from '../domain/tenant.js';
import { isBoundByCursor } from '../http/pagination.js';
import { Database, type SqlParameter, sql } from '../platform/database/database.js';
import type { EventBody } from './event-envelope.js';

/** Which events to list. `limit` items are wanted; one more is read, which tells whether there are more. */
export interface EventFilter {
  readonly limit: number;
  readonly starting_after?: string | undefined;
  readonly event_type?: string | undefined;
  readonly created_gte?: Date | undefined;
  readonly created_lt?: Date | undefined;
  readonly after_sequence?: number | undefined;
}

/** Reads events back, as they are delivered: a merchant can always recover without webhooks. */
@Injectable()
export class EventViewsService {
  constructor(private readonly database: Database) {}

  /** One event of the tenant. An event appears once it has its sequence, moments after its commit. */
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

  /** Up to `limit + 1` events, newest first. */
  async list(tenant: Tenant, filter: EventFilter): Promise<EventBody[]> {
    const em = this.database.em();
    const { text, parameters } = await pageStatement(em, tenant, filter);
    const rows = await sql<{ body: string }>(em, text, parameters);
    return rows.map(({ body }): EventBody => JSON.parse(body));
  }
}

interface Statement {
  readonly text: string;
  readonly parameters: readonly SqlParameter[];
}

/**
 * With `after_sequence` the page is read along the sequence, otherwise along the time of creation: each has an index that
 * starts where the page starts. Both orders are newest first; they differ where transactions overlapped.
 */
async function pageStatement(em: EntityManager, tenant: Tenant, filter: EventFilter): Promise<Statement> {
  const conditions = ['merchant_id = $1', 'environment = $2', 'sequence is not null'];
  const parameters: SqlParameter[] = [tenant.merchantId, tenant.environment];
  const where = (condition: (...placeholders: string[]) => string, ...values: SqlParameter[]): void => {
    conditions.push(condition(...values.map((value) => `$${parameters.push(value)}`)));
  };
  const bySequence = filter.after_sequence !== undefined;
  if (filter.after_sequence !== undefined) where((n) => `sequence > ${n}`, filter.after_sequence);
  if (filter.event_type !== undefined) where((type) => `type = ${type}`, filter.event_type);
  if (filter.created_gte !== undefined) where((from) => `created_at >= ${from}`, filter.created_gte);
  const cursor = filter.starting_after === undefined ? null : await cursorOf(em, tenant, filter.starting_after);
  if (cursor !== null && bySequence) where((n) => `sequence < ${n}`, cursor.sequence);
  if (cursor !== null && !bySequence && isBoundByCursor(cursor, filter.created_lt)) {
    where((at, id) => `(created_at, id) < (${at}, ${id})`, cursor.created_at, cursor.id);
  } else if (filter.created_lt !== undefined) {
    where((until) => `created_at < ${until}`, filter.created_lt);
  }
  const order = bySequence ? 'sequence desc' : 'created_at desc, id desc';
  const limit = `$${parameters.push(filter.limit + 1)}`;
  return {
    text: `select body from event where ${conditions.join(' and ')} order by ${order} limit ${limit}`,
    parameters,
  };
}

interface EventCursor {
  readonly id: string;
  readonly created_at: string;
  readonly sequence: string;
}

async function cursorOf(em: EntityManager, tenant: Tenant, id: string): Promise<EventCursor> {
  const [cursor] = await sql<EventCursor>(
    em,
    `select id, created_at, sequence from event
      where id = $1 and merchant_id = $2 and environment = $3 and sequence is not null`,
    [id, tenant.merchantId, tenant.environment],
  );
  if (cursor === undefined) throw invalidParam('starting_after', 'starting_after is not an event of yours.');
  return cursor;
}
