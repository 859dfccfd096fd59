import type { Environment } from '../../domain/network.js';
import type { SqlParameter } from '../../platform/database/database.js';
import { DELIVERY_STATUSES, type DeliveryStatus } from './delivery.entity.js';

/** Whose deliveries: of one merchant in one environment for the API; wider for the commands of an operator. */
export interface DeliveryScope {
  readonly merchantId?: string | undefined;
  readonly environment?: Environment | undefined;
}

/** A delivery by which a page begins: the list goes on after it. */
export interface DeliveryCursor {
  readonly id: string;
  readonly created_at: string;
}

/** Which deliveries a page holds. `createdBefore` and `after` are the two upper bounds: give the tighter one alone. */
export interface DeliveryPage {
  readonly limit: number;
  readonly status?: DeliveryStatus | undefined;
  readonly endpointId?: string | undefined;
  readonly eventId?: string | undefined;
  readonly createdFrom?: Date | undefined;
  readonly createdBefore?: Date | undefined;
  readonly after?: DeliveryCursor | undefined;
}

export interface Statement {
  readonly text: string;
  readonly parameters: readonly SqlParameter[];
}

/** Everything of a delivery that is shown, with its event and its latest attempt. */
export const SHOWN_DELIVERY = `
  select d.id, d.merchant_id, d.environment, d.endpoint_id, d.event_id, event.type as event_type, d.status, d.series,
         d.superseded, d.attempts, d.due_at, d.created_at, d.finished_at, event.traceparent,
         attempt.response_status as last_response_status, attempt.error_code as last_error_code
    from delivery d
    join event on event.id = d.event_id
    left join delivery_attempt attempt on attempt.delivery_id = d.id and attempt.number = d.attempts`;

/** A place to look for deliveries: each row of `owners` leads to those that `match` it, along one index. */
interface Walk {
  readonly owners: string;
  readonly match: string;
}

/**
 * One page, newest first, by keyset. It is merged from walks, each along an index whose order is that of the list and each
 * ended by the page's limit, so that a page costs the same however deep it lies and whatever it leaves out. No index on
 * all deliveries of a merchant has the order of the list: every endpoint and status has a walk of its own. Endpoints are
 * few, and another index would have to be written for every delivery.
 */
export function listStatement(scope: DeliveryScope, page: DeliveryPage): Statement {
  const parameters: SqlParameter[] = [];
  const place = (value: SqlParameter): string => `$${parameters.push(value)}`;
  const range = rangeOf(page, place);
  const limit = place(page.limit);
  const walks = walksOf(scope, page, place).map(
    ({ owners, match }) => `
      (select walked.id, walked.created_at
         from ${owners}
        cross join lateral (
          select d.id, d.created_at from delivery d where ${[match, ...range].join(' and ')}
           order by d.created_at desc, d.id desc limit ${limit}) walked
        order by walked.created_at desc, walked.id desc limit ${limit})`,
  );
  return {
    text: `${SHOWN_DELIVERY}
      join (select id from (${walks.join(' union all ')}) merged order by created_at desc, id desc limit ${limit}) page
        on page.id = d.id
     order by d.created_at desc, d.id desc`,
    parameters,
  };
}

type Place = (value: SqlParameter) => string;

function rangeOf({ createdFrom, createdBefore, after }: DeliveryPage, place: Place): string[] {
  return [
    ...(createdFrom === undefined ? [] : [`d.created_at >= ${place(createdFrom)}`]),
    ...(createdBefore === undefined ? [] : [`d.created_at < ${place(createdBefore)}`]),
    ...(after === undefined ? [] : [`(d.created_at, d.id) < (${place(after.created_at)}, ${place(after.id)})`]),
  ];
}

function walksOf(scope: DeliveryScope, { status, endpointId, eventId }: DeliveryPage, place: Place): Walk[] {
  const tenant = [
    ...(scope.merchantId === undefined ? [] : [`owner.merchant_id = ${place(scope.merchantId)}`]),
    ...(scope.environment === undefined ? [] : [`owner.environment = ${place(scope.environment)}`]),
  ];
  const ownersIn = (table: string, ...conditions: string[]): string =>
    `(select * from ${table} owner where ${['true', ...tenant, ...conditions].join(' and ')}) owner`;
  const statuses = status === undefined ? DELIVERY_STATUSES : [status];
  // Literals, so that the planner knows which partial index holds them; they are words of ours.
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
