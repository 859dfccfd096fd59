import { Inject, Injectable } from '@nestjs/common';
import { DomainError, notFound } from '../domain/errors.js';
import { newId } from '../domain/ids.js';
import { Database, type SqlParameter, type Tx, afterCommit, sql } from '../platform/database/database.js';
import { JobQueue } from '../platform/queue/job-queue.js';

const REPLAY_BATCH = 500;

/** The latest series of an event for an endpoint, ended, and the endpoint still there: what can be replayed. */
const REPLAYABLE = `
  from delivery last
  join webhook_endpoint endpoint on endpoint.id = last.endpoint_id and endpoint.deleted_at is null
 where last.status not in ('pending', 'held')
   and not exists (
     select from delivery later
      where later.event_id = last.event_id and later.endpoint_id = last.endpoint_id and later.series > last.series)`;

interface Ended {
  readonly id: string;
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly series: number;
  readonly created_at: string;
}

/** Owes events again: a replay is a new series of attempts of the same event, with a delivery id of its own. */
@Injectable()
export class DeliveryReplayService {
  constructor(
    private readonly database: Database,
    @Inject(JobQueue) private readonly queue: Pick<JobQueue, 'wake'>,
  ) {}

  /**
   * Replays these deliveries, at most 500, and returns the ids of the new ones. Left out are those that still wait, that
   * were replayed already, and those of deleted endpoints: so a replay that is asked for twice happens once.
   */
  async replay(deliveryIds: readonly string[]): Promise<string[]> {
    if (deliveryIds.length > REPLAY_BATCH) {
      throw new DomainError('invalid_request', `At most ${REPLAY_BATCH} deliveries are replayed at a time.`);
    }
    return this.database.transaction(async (tx) => {
      const ended = await findEnded(tx, `last.id = any($1)`, [deliveryIds]);
      return this.owe(tx, ended);
    });
  }

  /**
   * Replays everything an endpoint was owed since a time, whatever became of it; returns how many deliveries.
   * @throws DomainError `not_found` when there is no such endpoint.
   */
  async replaySince(endpointId: string, since: Date): Promise<number> {
    const [start] = await this.database.query<{ now: string }>(
      `select now() as now from webhook_endpoint where id = $1 and deleted_at is null`,
      [endpointId],
    );
    if (start === undefined) throw notFound('webhook endpoint');
    let total = 0;
    let after: readonly [string, string] = [since.toISOString(), ''];
    for (;;) {
      // Bounded by the start, so that what is created here is not taken for something to replay.
      const window = [endpointId, ...after, start.now, REPLAY_BATCH];
      const ended = await this.database.transaction(async (tx) => {
        const batch = await findEnded(
          tx,
          `last.endpoint_id = $1 and (last.created_at, last.id) > ($2::timestamptz, $3) and last.created_at < $4`,
          window,
          'order by last.created_at, last.id limit $5',
        );
        await this.owe(tx, batch);
        return batch;
      });
      total += ended.length;
      const last = ended.at(-1);
      if (last === undefined || ended.length < REPLAY_BATCH) return total;
      after = [last.created_at, last.id];
    }
  }

  private async owe(tx: Tx, ended: readonly Ended[]): Promise<string[]> {
    if (ended.length === 0) return [];
    // Where two replays meet, both find the same last series, and one of them begins the next.
    const owed = await sql<{ id: string }>(
      tx,
      `insert into delivery (id, event_id, endpoint_id, series, status)
       select id, event_id, endpoint_id, series, 'pending'
         from unnest($1::text[], $2::text[], $3::text[], $4::int[]) as owed (id, event_id, endpoint_id, series)
       on conflict (event_id, endpoint_id, series) do nothing
       returning id`,
      [
        ended.map(() => newId('dlv_')),
        ended.map((row) => row.event_id),
        ended.map((row) => row.endpoint_id),
        ended.map((row) => row.series + 1),
      ],
    );
    afterCommit(tx, () => this.queue.wake('webhooks.deliver', {}));
    return owed.map((row) => row.id);
  }
}

function findEnded(tx: Tx, condition: string, parameters: readonly SqlParameter[], rest = ''): Promise<Ended[]> {
  return sql<Ended>(
    tx,
    `select last.id, last.event_id, last.endpoint_id, last.series, last.created_at
     ${REPLAYABLE} and ${condition} ${rest}`,
    parameters,
  );
}
