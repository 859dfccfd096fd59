import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { invalidParam, notFound } from '../../domain/errors.js';
import { type ListPage, listPage } from '../../http/pagination.js';
import { Database, rows } from '../../platform/database/database.js';
import type { TimeCursor } from '../../platform/sql/newest-first.js';
import type { WebhookScope } from '../endpoints/webhook-scope.js';
import { DeliveryAttempt } from './delivery-attempt.entity.js';
import { deliveryPage, findDelivery, findPlace } from './delivery-page.sql.js';
import { type DeliveryRow, presentDelivery, presentDeliveryWithAttempts } from './delivery.presenter.js';
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
    const attempts = await em.find(DeliveryAttempt, { deliveryId: id }, { orderBy: { number: 'asc' } });
    return presentDeliveryWithAttempts(row, attempts);
  }

  /**
   * Returns one page of deliveries, newest first.
   * @throws DomainError `invalid_request` when `starting_after` is not a delivery of the scope.
   */
  async list(scope: WebhookScope, query: ListDeliveriesQuery): Promise<ListPage<DeliveryObject>> {
    const page = await this.page(scope, query);
    return listPage(page.map(presentDelivery), query.limit);
  }

  /** Returns up to `limit + 1` deliveries as rows, which name their merchants. @throws as `list` */
  async page(scope: WebhookScope, query: ListDeliveriesQuery): Promise<DeliveryRow[]> {
    const em = this.database.em();
    const cursor = query.starting_after === undefined ? null : await findCursor(em, scope, query.starting_after);
    return rows(em, deliveryPage(scope, query, cursor));
  }
}

async function findRow(em: EntityManager, scope: WebhookScope, id: string): Promise<DeliveryRow> {
  const [row] = await rows(em, findDelivery(scope, id));
  if (row === undefined) throw notFound('delivery');
  return row;
}

async function findCursor(em: EntityManager, scope: WebhookScope, id: string): Promise<TimeCursor> {
  const [cursor] = await rows(em, findPlace(scope, id));
  if (cursor === undefined) throw invalidParam('starting_after', 'starting_after is not a delivery of yours.');
  return cursor;
}
