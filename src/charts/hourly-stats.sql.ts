import { ENVIRONMENTS, type Environment } from '../domain/network.js';
import { idBefore } from '../domain/ids.js';
import { Event } from '../events/event.entity.js';
import { PaymentIntent } from '../payments/intents/payment-intent.entity.js';
import { as } from '../platform/sql/as.js';
import { define, lines, named, relation, subselect } from '../platform/sql/relation.js';
import type { Row } from '../platform/sql/row.js';
import { join, sql } from '../platform/sql/sql.js';
import { columns, out, set, table } from '../platform/sql/table.js';
import { DeliveryAttempt } from '../webhooks/deliveries/delivery-attempt.entity.js';
import { Delivery } from '../webhooks/deliveries/delivery.entity.js';
import { HourlyStat, STAT_NAMES } from './hourly-stat.entity.js';

const stat = table(HourlyStat);
const newer = table(HourlyStat, 'excluded');
const intent = table(PaymentIntent);
const event = table(Event);
const attempt = table(DeliveryAttempt);
const delivery = table(Delivery);

/** Every figure of every environment: an hour without any payment is filled too. */
const wanted = lines(
  'wanted',
  ENVIRONMENTS.flatMap((environment) =>
    STAT_NAMES.map((name) => ({ environment: sql`${environment}::text`, name: sql`${name}::text` })),
  ),
);

const found = relation<Row<HourlyStat, 'environment' | 'name' | 'value'>>('found');

/** From an hour to the next one. */
export interface ClosedHour {
  readonly from: Date;
  readonly to: Date;
}

/** Computes the figures of an hour from ids and times, by the primary keys and the index of attempts by their time. */
function figuresOf({ from, to }: ClosedHour) {
  const created = sql`
    select ${intent.environment}, 'intents_created', count(*)::numeric from ${intent}
     where ${intent.id} >= ${idBefore('pi_', from)} and ${intent.id} < ${idBefore('pi_', to)}
     group by ${intent.environment}`;
  const inHour = sql`${event.id} >= ${idBefore('evt_', from)} and ${event.id} < ${idBefore('evt_', to)}`;
  const ended = sql`
    select ${event.environment}, 'intents_' || split_part(${event.type}, '.', 2), count(*)::numeric from ${event}
     where ${inHour} and ${event.type} in ('payment_intent.completed', 'payment_intent.failed', 'payment_intent.expired', 'payment_intent.cancelled')
     group by 1, 2`;
  const settled = sql`
    select ${event.environment}, 'settled_cents', sum(${intent.receivedAmountCents})::numeric
      from ${event} join ${intent} on ${intent.id} = ${event.resourceId}
     where ${inHour} and ${event.type} = 'payment_intent.completed' group by ${event.environment}`;
  const sent = sql`
    select ${delivery.environment}, case when ${attempt.responseStatus} between 200 and 299 then 'attempts_delivered' else 'attempts_failed' end,
           count(*)::numeric
      from ${attempt} join ${delivery} on ${delivery.id} = ${attempt.deliveryId}
     where (${attempt.responseHeaders} is null)::int in (0, 1) and ${attempt.startedAt} >= ${from} and ${attempt.startedAt} < ${to}
     group by 1, 2`;
  return join([created, ended, settled, sent], ' union all ');
}

/** Fills a closed hour. Filling it again leaves it as it is. */
export const fillHour = (hour: ClosedHour) => sql`
  insert into ${stat} ${columns(stat, 'environment', 'hour', 'name', 'value')}
  select ${wanted.environment}, ${hour.from}::timestamptz, ${wanted.name}, coalesce(${found.value}, 0)
    from ${define(wanted)}
    left join (${figuresOf(hour)}) ${named(found, 'environment', 'name', 'value')}
      on ${found.environment} = ${wanted.environment} and ${found.name} = ${wanted.name}
  on conflict ${columns(stat, 'environment', 'hour', 'name')} do update set ${set(stat, { value: newer.value })}`;

const newestStat = sql`select ${out(stat, 'hour')} from ${stat} where ${stat.environment} = ${ENVIRONMENTS[0]} order by ${stat.hour} desc limit 1`;
const newest = subselect('newest', newestStat);

/** Reads the last filled hour, and the database's time. The hour is null before the first one. */
export const lastHour = sql`
  select (select ${newest.hour} from ${define(newest)}) ${as.timeOrNull('hour')}, clock_timestamp() ${as.time('now')}`;

/** Reads the id of the first intent, whose time is the beginning of the figures. */
export const firstIntent = sql`select ${out(intent, 'id')} from ${intent} order by ${intent.id} limit 1`;

/** Sums the figures of each day (UTC) since a time. */
export const figuresByDay = (environment: Environment, since: Date) => sql`
  select to_char(${stat.hour} at time zone 'UTC', 'YYYY-MM-DD') ${as.text('day')}, ${out(stat, 'name')}, sum(${stat.value}) ${as.digits('value')}
    from ${stat} where ${stat.environment} = ${environment} and ${stat.hour} >= ${since} group by 1, ${stat.name} order by 1`;
