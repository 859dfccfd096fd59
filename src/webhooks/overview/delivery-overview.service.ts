import { Injectable } from '@nestjs/common';
import { invalidParam, notFound } from '../../domain/errors.js';
import type { Environment } from '../../domain/network.js';
import { Event } from '../../events/event.entity.js';
import { Database, rows } from '../../platform/database/database.js';
import type { TimeCursor } from '../../platform/sql/newest-first.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { DeliveryAttempt } from '../deliveries/delivery-attempt.entity.js';
import { deadLettersByCause } from './delivery-causes.sql.js';
import type { DeliveryFilter } from './delivery-filter.js';
import { allSeries, findShown, placeOf, searchPage } from './delivery-search.sql.js';

/** A delivery with its endpoint, merchant and resource. */
export type ShownDelivery = RowOf<typeof findShown>;
/** An endpoint and a cause of dead letters. */
export type DeadLetterCause = RowOf<typeof deadLettersByCause>;

/** One delivery with every series of attempts that its event has at its endpoint. */
export interface DeliveryHistory {
  readonly delivery: ShownDelivery;
  readonly series: readonly ShownDelivery[];
  /** Of all series, by number. */
  readonly attempts: readonly DeliveryAttempt[];
  /** The bytes that were sent, as text. */
  readonly body: string | null;
}

/** Counts of dead letters stop above this number. */
export const COUNTED_MAX = 10_000;
const EXPORT_BATCH = 1_000;

/** Reads the deliveries of all merchants of an environment, for staff. */
@Injectable()
export class DeliveryOverview {
  constructor(private readonly database: Database) {}

  /**
   * Returns up to `limit + 1` groups of dead letters, by endpoint and cause, the largest first. Counts stop at
   * `COUNTED_MAX + 1`.
   */
  causes(environment: Environment, limit: number): Promise<DeadLetterCause[]> {
    return this.database.rows(deadLettersByCause(environment, { max: COUNTED_MAX + 1, limit: limit + 1 }));
  }

  /**
   * Returns up to `limit + 1` deliveries, newest first.
   * @throws DomainError `invalid_request` when `after` is not a delivery of the environment.
   */
  async page(
    environment: Environment,
    filter: DeliveryFilter,
    { limit, after }: { readonly limit: number; readonly after?: string | undefined },
  ): Promise<ShownDelivery[]> {
    const cursor = after === undefined ? null : await this.cursorOf(environment, after);
    return this.search(environment, filter, { limit: limit + 1, cursor });
  }

  /** Reads the deliveries of a filter in batches, newest first, `max` at most. */
  async *batches(environment: Environment, filter: DeliveryFilter, max: number): AsyncGenerator<ShownDelivery[]> {
    let cursor: TimeCursor | null = null;
    for (let left = max; left > 0;) {
      const limit = Math.min(EXPORT_BATCH, left);
      const batch: ShownDelivery[] = await this.search(environment, filter, { limit, cursor });
      if (batch.length > 0) yield batch;
      if (batch.length < limit) return;
      left -= batch.length;
      cursor = batch.at(-1) ?? null;
    }
  }

  /** Returns a delivery with all its series and attempts. @throws DomainError `not_found` */
  async history(environment: Environment, id: string): Promise<DeliveryHistory> {
    const em = this.database.em();
    const [delivery] = await rows(em, findShown(environment, id));
    if (delivery === undefined) throw notFound('delivery');
    const series = await rows(em, allSeries(delivery.eventId, delivery.endpointId));
    const attempts = await em.find(
      DeliveryAttempt,
      { deliveryId: { $in: series.map((one) => one.id) } },
      { orderBy: { number: 'asc' } },
    );
    const event = await em.findOneOrFail(Event, { id: delivery.eventId });
    return { delivery, series, attempts, body: event.body };
  }

  private async search(
    environment: Environment,
    filter: DeliveryFilter,
    window: { readonly limit: number; readonly cursor: TimeCursor | null },
  ): Promise<ShownDelivery[]> {
    const statement = searchPage(environment, filter, window);
    return statement === null ? [] : this.database.rows(statement);
  }

  private async cursorOf(environment: Environment, id: string): Promise<TimeCursor> {
    const [cursor] = await this.database.rows(placeOf(environment, id));
    if (cursor === undefined)
      throw invalidParam('starting_after', 'starting_after is not a delivery of this environment.');
    return cursor;
  }
}
