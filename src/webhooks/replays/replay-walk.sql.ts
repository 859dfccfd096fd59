import { join, literal, sql, type SqlText } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { as } from '../../platform/sql/as.js';
import { given, unnest } from '../../platform/sql/given.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { Delivery } from '../deliveries/delivery.entity.js';
import { conditionsOf, having } from '../overview/delivery-walks.sql.js';
import { deliveryFilterOf, type ReplayFilter, type ReplayStep } from './replay-filter.js';

const delivery = table(Delivery);

/** Deliveries that one batch looks at for each endpoint, when the filter may want few of them. */
export const WALKED_MAX = 500;
/** Deliveries that the order of a job looks at for each endpoint and status, so that the request stays short. */
const EXAMINED_MAX = 100;

/** Whether an index walk finds deliveries that the filter does not want, so that it must look at more than it sends. */
export const isSelective = ({ event_type: type, response }: ReplayFilter): boolean =>
  type !== undefined || response !== undefined;

/**
 * The deliveries that a walk reads. A selection and the deliveries of an event are few, and read by their keys first: the
 * planner might else walk all dead letters of an endpoint to find them.
 */
function among({ delivery_ids: ids, event_id: eventId }: ReplayFilter): SqlText {
  if (ids === undefined && eventId === undefined) return sql`${delivery}`;
  const few = [
    ...(ids === undefined ? [] : [sql`${delivery.id} = any(${ids})`]),
    ...(eventId === undefined ? [] : [sql`${delivery.eventId} = ${eventId}`]),
  ];
  return sql`(select * from ${delivery} where ${join(few, ' and ')} offset 0) ${delivery}`;
}

/** The deliveries of an endpoint that an index has for a step, within the dates of the filter. */
function ofStep(endpointId: SqlText, step: ReplayStep, filter: ReplayFilter): SqlText {
  const { created_gte: from, created_lt: until } = deliveryFilterOf(filter);
  return join(
    [
      sql`${delivery.endpointId} = ${endpointId} and ${having(step)} and not ${delivery.superseded}`,
      ...(from === undefined ? [] : [sql`${delivery.createdAt} >= ${from}`]),
      ...(until === undefined ? [] : [sql`${delivery.createdAt} < ${until}`]),
    ],
    ' and ',
  );
}

const wantedBy = ({ event_type, response }: ReplayFilter): SqlText =>
  join([sql`true`, ...conditionsOf({ event_type, response })], ' and ');

/**
 * Whether a step of a job finds a delivery at the endpoint, or more of them than the order looks at: then the job goes
 * there, and may find that it wants none.
 */
export function mayFind(endpointId: SqlText, step: ReplayStep, filter: ReplayFilter): SqlText {
  const where = ofStep(endpointId, step, filter);
  if (!isSelective(filter)) return sql`exists (select from ${among(filter)} where ${where})`;
  const max = literal(EXAMINED_MAX);
  return sql`
    exists (
      select from (
        select ${wantedBy(filter)} as is_wanted, row_number() over (order by ${delivery.createdAt}, ${delivery.id}) as nth
          from ${among(filter)} where ${where} order by ${delivery.createdAt}, ${delivery.id} limit ${max}) examined
       where is_wanted or nth = ${max})`;
}

const place = given('place', { endpointId: 'text', reachedAt: 'timestamptz', reachedId: 'text' });

/** How far a job has come at an endpoint. */
export interface Place {
  readonly endpointId: string;
  readonly reachedAt: string;
  readonly reachedId: string;
}

/** One step of a job. */
export interface Walk {
  readonly jobId: string;
  readonly step: ReplayStep;
  readonly criteria: ReplayFilter;
  /** Nothing that was created later is sent. */
  readonly bound: string;
  /** The most deliveries for each endpoint, up to `WALKED_MAX`. */
  readonly limit: number;
}

/** The inner limit is a literal, for the sake of the planner; the outer one ends the walk. */
const nextOf = ({ jobId, step, criteria, bound, limit }: Walk) => sql`
  select found.* from (
    select ${out(delivery, 'id', 'createdAt')},
           coalesce(${delivery.replayJobId} <> ${jobId}, true) and ${wantedBy(criteria)} ${as.boolean('isWanted')}
      from ${among(criteria)}
     where ${ofStep(place.endpointId, step, criteria)} and ${delivery.createdAt} <= ${bound}::timestamptz
       and (${delivery.createdAt}, ${delivery.id}) > (${place.reachedAt}, ${place.reachedId})
     order by ${delivery.createdAt}, ${delivery.id} limit ${literal(WALKED_MAX)}) found limit ${limit}`;
const next = subselect('next', nextOf);

/**
 * Reads the next deliveries of a step at each place, along the index, and says which of them the job sends. The filter does
 * not limit the walk, because one statement could then skip any number of deliveries.
 */
export const nextOfStep = (walk: Walk, places: readonly Place[]) => sql`
  select ${place.endpointId.as('endpointId')}, ${next.id.as('id')}, ${next.createdAt.as('createdAt')},
         ${next.isWanted.as('isWanted')}
    from ${unnest(place, places)} cross join lateral ${define(next, walk)}
   order by ${place.nth}, ${next.createdAt}, ${next.id}`;
