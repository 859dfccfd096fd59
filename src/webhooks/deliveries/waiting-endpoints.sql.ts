import { relation } from '../../platform/sql/relation.js';
import { type RowOf, sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { Delivery } from './delivery.entity.js';

const delivery = table(Delivery);

const firstWaiting = sql`
  select ${out(delivery, 'endpointId')} from ${delivery}
   where ${delivery.status} = 'pending' order by ${delivery.endpointId} limit 1`;
/** The rows of `waitingEndpoints`. The last one is null. */
export const waiting = relation<RowOf<typeof firstWaiting>>('waiting');

/**
 * Every endpoint with waiting deliveries. One index probe finds the next endpoint and skips all deliveries of the one
 * before, so the cost grows with the number of endpoints and not with the backlog of one. It stands after `with recursive`.
 */
export const waitingEndpoints = sql`
  ${waiting} as (
    (${firstWaiting})
    union all
    select (select ${delivery.endpointId} from ${delivery}
             where ${delivery.status} = 'pending' and ${delivery.endpointId} > ${waiting.endpointId}
             order by ${delivery.endpointId} limit 1)
      from ${waiting} where ${waiting.endpointId} is not null)`;
