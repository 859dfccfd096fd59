import { sql, type SqlText } from '../../platform/sql/sql.js';
import { out, set, table } from '../../platform/sql/table.js';
import { WebhookEndpoint } from './webhook-endpoint.entity.js';

const endpoint = table(WebhookEndpoint);

/** The noted success is at least a minute old, or there is none. */
const successIsOld = sql`(${endpoint.lastSuccessAt} is null or ${endpoint.lastSuccessAt} <= now() - interval '1 minute')`;

/**
 * Clears the failures of endpoints after a success. It notes a success at most once a minute, so that a busy endpoint's row
 * is rarely written. It skips an endpoint whose row is locked, because the other acknowledged deliveries of the batch must
 * not wait: the next success clears that one.
 * @param endpointIds A query for the ids.
 */
export const noteSuccess = (endpointIds: SqlText) => sql`
  update ${endpoint}
     set ${set(endpoint, {
       failingSince: sql`null`,
       deadLetters: sql`0`,
       lastSuccessAt: sql`case when ${successIsOld} then now() else ${endpoint.lastSuccessAt} end`,
     })}
   where ${endpoint.id} in (
     select ${endpoint.id} from ${endpoint}
      where ${endpoint.id} in (${endpointIds})
        and (${endpoint.failingSince} is not null or ${endpoint.deadLetters} > 0 or ${successIsOld})
      order by ${endpoint.id}
        for no key update skip locked)`;

/** Counts a failure of an endpoint, and the dead letters that it made. */
export const countFailure = (id: string, deadLetters: number) => sql`
  update ${endpoint}
     set ${set(endpoint, {
       failingSince: sql`coalesce(${endpoint.failingSince}, now())`,
       deadLetters: sql`${endpoint.deadLetters} + ${deadLetters}::int`,
     })}
   where ${endpoint.id} = ${id} and (${endpoint.failingSince} is null or ${deadLetters}::int > 0)`;

/** Disables an endpoint that has failed for so long and has so many dead letters, and returns it. */
export const disableFailing = (id: string, deadLettersMin: number, days: number) => sql`
  update ${endpoint} set ${set(endpoint, { enabled: false, disabledReason: 'failing', updatedAt: sql`now()` })}
   where ${endpoint.id} = ${id} and ${endpoint.enabled} and ${endpoint.deadLetters} >= ${deadLettersMin}
     and ${endpoint.failingSince} <= now() - ${days}::int * interval '1 day'
  returning ${out(endpoint, 'id')}`;
