import type { DeliveryStatus } from '../../domain/delivery-status.js';
import { flooredNow } from '../../platform/sql/floored-now.js';
import { given, unnest } from '../../platform/sql/given.js';
import { all, cte, define } from '../../platform/sql/relation.js';
import { sql } from '../../platform/sql/sql.js';
import { columns, out, set, table } from '../../platform/sql/table.js';
import { noteSuccess } from '../endpoints/endpoint-health.sql.js';
import type { Attempt } from './attempt.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { DeliveryAttempt } from './delivery-attempt.entity.js';
import { Delivery } from './delivery.entity.js';

const delivery = table(Delivery);
const recorded = table(DeliveryAttempt);
const attempt = given('attempt', {
  deliveryId: 'text',
  leaseToken: 'text',
  number: 'int',
  startedAt: 'timestamptz',
  durationMs: 'int',
  signedAt: 'bigint',
  responseStatus: 'int',
  errorCode: 'text',
  errorMessage: 'text',
  responseHeaders: 'jsonb',
  responseBody: 'text',
});

/** A delivery with the attempt that was made. */
export interface Made {
  readonly delivery: Pick<ClaimedDelivery, 'id' | 'leaseToken' | 'attempt'>;
  readonly attempt: Omit<Attempt, 'delivered' | 'ourFault'>;
}

/** The state of deliveries after their attempts; they are due again in so many milliseconds if it is `pending`. */
export interface NextState {
  readonly status: DeliveryStatus;
  readonly retryInMs: number | null;
}

/**
 * One statement, because the batch would wait between two of them while the process does other work. Finishing a delivery
 * clears its lease, so a matching lease implies `pending`. A condition on the status would make the planner read all
 * pending deliveries when its statistics say that there are none. The `any` on the array reads by primary key.
 */
function partsOf(batch: readonly Made[], { status, retryInMs }: NextState) {
  const made = cte('made', sql`select ${all(attempt)} from ${unnest(attempt, batch.map(rowOf))}`);
  const moved = cte(
    'moved',
    sql`
      update ${delivery}
         set ${set(delivery, {
           status,
           attempts: made.number,
           lastResponseStatus: made.responseStatus,
           lastErrorCode: made.errorCode,
           dueAt: sql`${flooredNow} + coalesce(${retryInMs}::bigint, 0) * interval '1 millisecond'`,
           finishedAt: status === 'pending' ? sql`null` : sql`now()`,
           leaseUntil: sql`null`,
           leaseHolder: sql`null`,
         })}
        from ${made}
       where ${delivery.id} = any(${batch.map((one) => one.delivery.id)}) and ${delivery.id} = ${made.deliveryId}
         and ${delivery.leaseHolder} = ${made.leaseToken}
      returning ${out(delivery, 'id', 'endpointId')}`,
  );
  const insert = sql`
    insert into ${recorded}
      ${columns(
        recorded,
        'deliveryId',
        'number',
        'startedAt',
        'durationMs',
        'signedAt',
        'responseStatus',
        'errorCode',
        'errorMessage',
        'responseHeaders',
        'responseBody',
      )}
    select ${made.deliveryId}, ${made.number}, ${made.startedAt}, ${made.durationMs}, ${made.signedAt},
           ${made.responseStatus}, ${made.errorCode}, ${made.errorMessage}, ${made.responseHeaders}, ${made.responseBody}
      from ${made} join ${moved} on ${moved.id} = ${made.deliveryId}`;
  return { made, moved, insert };
}

const rowOf = ({ delivery: { id, leaseToken, attempt: number }, attempt: made }: Made) => ({
  ...made,
  deliveryId: id,
  leaseToken,
  number,
  responseHeaders: made.responseHeaders === null ? null : JSON.stringify(made.responseHeaders),
});

/** Records failed attempts. Returns the deliveries whose lease was still ours. */
export function moveOn(batch: readonly Made[], next: NextState) {
  const { made, moved, insert } = partsOf(batch, next);
  return sql`with ${define(made)}, ${define(moved)} ${insert} returning ${out(recorded, 'deliveryId')}`;
}

/** Records acknowledged attempts likewise, and the success of their endpoints. */
export function acknowledge(batch: readonly Made[]) {
  const { made, moved, insert } = partsOf(batch, { status: 'delivered', retryInMs: null });
  const noted = cte('noted', noteSuccess(sql`select ${moved.endpointId} from ${moved}`));
  return sql`
    with ${define(made)}, ${define(moved)}, ${define(noted)} ${insert} returning ${out(recorded, 'deliveryId')}`;
}
