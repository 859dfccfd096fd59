import type { DeliveryStatus } from '../../domain/delivery-status.js';
import { Merchant } from '../../auth/merchant.entity.js';
import { Event } from '../../events/event.entity.js';
import { as } from '../../platform/sql/as.js';
import { raw, sql, type SqlText } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { Delivery } from '../deliveries/delivery.entity.js';

const delivery = table(Delivery);
const event = table(Event);

/** Counts deliveries of an endpoint in the last 24 hours along an index, up to `max` of each kind, and finds its oldest dead letter. */
export function recentResults(endpointId: string, max: number) {
  const counted = (status: DeliveryStatus, condition: SqlText = sql``): SqlText => sql`
    (select count(*) from (
       select from ${delivery}
        where ${delivery.endpointId} = ${endpointId} and ${delivery.status} = ${raw(`'${status}'`)}
          and ${delivery.createdAt} >= now() - interval '24 hours' ${condition} limit ${max}) few)`;
  return sql`
    select ${counted('delivered')} ${as.digits('delivered')}, ${counted('dead_letter')} ${as.digits('failed')},
           ${counted('pending', sql`and ${delivery.attempts} > 0`)} ${as.digits('retrying')},
           (select ${delivery.createdAt} from ${delivery}
             where ${delivery.endpointId} = ${endpointId} and ${delivery.status} = 'dead_letter' and not ${delivery.superseded}
             order by ${delivery.createdAt}, ${delivery.id} limit 1) ${as.timeOrNull('deadSince')}`;
}

/** Reads the newest bodies that were sent to an endpoint. */
export const sentBodies = (endpointId: string, limit: number) => sql`
  select ${event.body.asNotNull('body')}
    from ${delivery} join ${event} on ${event.id} = ${delivery.eventId}
   where ${delivery.endpointId} = ${endpointId} and ${delivery.status} in ('delivered', 'dead_letter', 'pending')
     and ${event.body} is not null
   order by ${delivery.createdAt} desc limit ${limit}`;

/** Reads the names of merchants. */
export const merchantNames = (ids: readonly string[]) => {
  const merchant = table(Merchant);
  return sql`select ${out(merchant, 'id', 'name')} from ${merchant} where ${merchant.id} = any(${ids})`;
};
