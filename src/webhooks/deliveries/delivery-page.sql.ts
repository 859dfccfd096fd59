import { DELIVERY_STATUSES, type DeliveryStatus } from '../../domain/delivery-status.js';
import { Conditions } from '../../platform/database/conditions.js';
import type { SqlParameter } from '../../platform/database/database.js';
import { NEWEST_FIRST, type TimeCursor, boundByTime } from '../../platform/database/newest-first.js';
import type { WebhookScope } from '../endpoints/webhook-scope.js';
import type { ListDeliveriesQuery } from './delivery.schema.js';

/** Selects the shown columns of a delivery, with its event and its latest attempt. */
export const SHOWN_DELIVERY = `
  select d.id, d.merchant_id, d.environment, d.endpoint_id, d.event_id, event.type as event_type, d.status, d.series,
         d.superseded, d.attempts, d.due_at, d.created_at, d.finished_at, event.traceparent,
         attempt.response_status as last_response_status, attempt.error_code as last_error_code
    from delivery d
    join event on event.id = d.event_id
    left join delivery_attempt attempt on attempt.delivery_id = d.id and attempt.number = d.attempts`;

/** One index walk: for each row of `owners`, the deliveries that `match` it. */
interface Walk {
  readonly owners: string;
  readonly match: string;
}

/**
 * Builds one page, newest first, after the cursor; one more than `limit` is read. The page merges walks: each follows an
 * index that has the order of the list and stops at the page's limit, so that every page costs the same, at any depth and
 * with any filter. No index on all deliveries of a merchant has that order, so every endpoint and status has its own walk.
 * Endpoints are few, and another index would have to be written for every delivery.
 */
export function deliveryPage(
  scope: WebhookScope,
  query: ListDeliveriesQuery,
  cursor: TimeCursor | null,
): { readonly text: string; readonly parameters: readonly SqlParameter[] } {
  const where = new Conditions();
  boundByTime(where, query, cursor);
  const limit = where.place(query.limit + 1);
  const walks = walksOf(scope, query, (value) => where.place(value)).map(
    ({ owners, match }) => `
      (select walked.id, walked.created_at
         from ${owners}
        cross join lateral (
          select d.id, d.created_at from delivery d where ${match} and ${where.text}
           ${NEWEST_FIRST} limit ${limit}) walked
        ${NEWEST_FIRST} limit ${limit})`,
  );
  return {
    text: `${SHOWN_DELIVERY}
      join (select id from (${walks.join(' union all ')}) merged ${NEWEST_FIRST} limit ${limit}) page
        on page.id = d.id
     order by d.created_at desc, d.id desc`,
    parameters: where.parameters,
  };
}

type Place = (value: SqlParameter) => string;

function walksOf(
  scope: WebhookScope,
  { status, endpoint_id: endpointId, event_id: eventId }: ListDeliveriesQuery,
  place: Place,
): Walk[] {
  const tenant = [
    ...(scope.merchantId === undefined ? [] : [`owner.merchant_id = ${place(scope.merchantId)}`]),
    ...(scope.environment === undefined ? [] : [`owner.environment = ${place(scope.environment)}`]),
  ];
  const ownersIn = (table: string, ...conditions: string[]): string =>
    `(select * from ${table} owner where ${['true', ...tenant, ...conditions].join(' and ')}) owner`;
  const statuses = status === undefined ? DELIVERY_STATUSES : [status];
  // Literals, so that the planner can pick the partial index. They are constants of ours, not input.
  const having = (one: DeliveryStatus): string => `d.status = '${one}'`;
  if (eventId !== undefined) {
    const owners = ownersIn('event', `owner.id = ${place(eventId)}`);
    const wanted = [
      ...(endpointId === undefined ? [] : [`d.endpoint_id = ${place(endpointId)}`]),
      ...(status === undefined ? [] : [having(status)]),
    ];
    return [{ owners, match: ['d.event_id = owner.id', ...wanted].join(' and ') }];
  }
  const owners = ownersIn('webhook_endpoint', ...(endpointId === undefined ? [] : [`owner.id = ${place(endpointId)}`]));
  return statuses.map((one) => ({ owners, match: `d.endpoint_id = owner.id and ${having(one)}` }));
}
