import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { invalidParam, notFound } from '../../domain/errors.js';
import { Database, type SqlParameter, sql } from '../../platform/database/database.js';
import type { TimeCursor } from '../../platform/database/newest-first.js';
import type { WebhookScope } from '../endpoints/webhook-scope.js';
import { SHOWN_DELIVERY, deliveryPage } from './delivery-page.sql.js';
import {
  type AttemptRow,
  type DeliveryRow,
  presentDelivery,
  presentDeliveryWithAttempts,
} from './delivery.presenter.js';
import type { DeliveryObject, DeliveryWithAttemptsObject, ListDeliveriesQuery } from './delivery.schema.js';

/** Reads deliveries and their attempts, for merchants and operators. */
@Injectable()
export class DeliveryReader {
  constructor(private readonly database: Database) {}

  /** Returns one delivery. @throws DomainError `not_found` when the scope has none of this id. */
  async get(em: EntityManager, scope: WebhookScope, id: string): Promise<DeliveryObject> {
    return presentDelivery(await findRow(em, scope, id));
  }

  /** Returns one delivery with its attempts in order. @throws DomainError `not_found` */
  async getWithAttempts(scope: WebhookScope, id: string): Promise<DeliveryWithAttemptsObject> {
    const em = this.database.em();
    const row = await findRow(em, scope, id);
    const attempts = await sql<AttemptRow>(
      em,
      `select number, started_at, duration_ms, response_status, error_code, error_message, response_headers,
              response_body
         from delivery_attempt where delivery_id = $1 order by number`,
      [id],
    );
    return presentDeliveryWithAttempts(row, attempts);
  }

  /**
   * Returns up to `limit + 1` deliveries, newest first, each with its merchant.
   * @throws DomainError `invalid_request` when `starting_after` is not a delivery of the scope.
   */
  async list(scope: WebhookScope, query: ListDeliveriesQuery): Promise<DeliveryRow[]> {
    const em = this.database.em();
    const cursor = query.starting_after === undefined ? null : await findCursor(em, scope, query.starting_after);
    const { text, parameters } = deliveryPage(scope, query, cursor);
    return sql<DeliveryRow>(em, text, parameters);
  }
}

async function findRow(em: EntityManager, scope: WebhookScope, id: string): Promise<DeliveryRow> {
  const [row] = await sql<DeliveryRow>(em, ...oneOf(SHOWN_DELIVERY, scope, id));
  if (row === undefined) throw notFound('delivery');
  return row;
}

async function findCursor(em: EntityManager, scope: WebhookScope, id: string): Promise<TimeCursor> {
  const [cursor] = await sql<TimeCursor>(em, ...oneOf('select d.id, d.created_at from delivery d', scope, id));
  if (cursor === undefined) throw invalidParam('starting_after', 'starting_after is not a delivery of yours.');
  return cursor;
}

/** Adds conditions to `select`: the delivery `d` with this id, if it is in the scope. */
function oneOf(select: string, scope: WebhookScope, id: string): [text: string, parameters: SqlParameter[]] {
  return [
    `${select} where d.id = $1 and ($2::text is null or d.merchant_id = $2) and ($3::text is null or d.environment = $3)`,
    [id, scope.merchantId ?? null, scope.environment ?? null],
  ];
}
