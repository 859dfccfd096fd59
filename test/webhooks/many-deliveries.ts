import { newId } from '../../src/domain/ids.js';
import type { WebhookWorld } from './webhook-world.js';

/** Deliveries to insert as rows, without attempts that were made. */
export interface ManyDeliveries {
  readonly endpointId: string;
  readonly count: number;
  readonly status: string;
  readonly eventType?: string;
  readonly responseStatus?: number | null;
  readonly errorCode?: string | null;
  /** Minutes ago of the newest; each other is a minute older. */
  readonly minutesAgo?: number;
}

/** Inserts events with one delivery each. Returns a part of their ids, to find them by `like`. */
export async function addDeliveries(world: Pick<WebhookWorld, 'query'>, many: ManyDeliveries): Promise<string> {
  const { endpointId, count, status, eventType = 'payment_intent.completed', minutesAgo = 0 } = many;
  const { responseStatus = null, errorCode = null } = many;
  const part = newId('req_').slice(4);
  await world.query(
    `insert into event (id, merchant_id, environment, type, resource_id, data, created_at, sequence, body)
     select 'evt_' || $1 || n, endpoint.merchant_id, endpoint.environment, $3, 'pi_1', '{}',
            now() - ($5::int + n) * interval '1 minute',
            (select greatest(coalesce(max(sequence), 0), 1000000) from event) + n, '{"n":' || n || '}'
       from webhook_endpoint endpoint cross join generate_series(1, $4::int) n where endpoint.id = $2`,
    [part, endpointId, eventType, count, minutesAgo],
  );
  const isWaiting = status === 'pending' || status === 'held';
  await world.query(
    `insert into delivery (id, event_id, endpoint_id, merchant_id, environment, event_type, status, attempts, due_at,
                           created_at, finished_at, last_response_status, last_error_code)
     select 'dlv_' || substr(event.id, 5), event.id, endpoint.id, event.merchant_id, event.environment, event.type, $3,
            case when $3 = 'dead_letter' then 6 else 1 end, now() + interval '1 hour', event.created_at,
            case when $4 then null else now() end, $5::int, $6
       from event join webhook_endpoint endpoint on endpoint.id = $2 where event.id like 'evt_' || $1 || '%'`,
    [part, endpointId, status, isWaiting, responseStatus, errorCode],
  );
  if (status === 'held') await world.query(`update webhook_endpoint set holds = true where id = $1`, [endpointId]);
  return part;
}
