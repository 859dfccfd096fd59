import { Injectable, Logger } from '@nestjs/common';
import { newId } from '../../domain/ids.js';
import { Database, type Tx, afterCommit, sql, sqlOne } from '../../platform/database/database.js';
import { failpoint } from '../../platform/failpoints.js';
import { JobHandler } from '../../platform/queue/job-handler.js';
import { JobWaker } from '../../platform/queue/job-waker.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { takeTurn } from '../deliveries/delivery-claims.service.js';
import type { WebhookScope } from '../endpoints/webhook-scope.js';
import {
  LOCK_RECOVERY_STATEMENT,
  NEXT_STATEMENTS,
  REACH_STATEMENT,
  RECOVERED_STATUSES,
  type RecoveredStatus,
  RECOVER_STATEMENTS,
} from './endpoint-recovery.sql.js';
import { findOpenEndpoint } from '../endpoints/open-endpoint.js';
import type { RecoveryStatus } from './webhook-recovery.entity.js';
import type { WebhookRecoveryObject } from './webhook-recovery.schema.js';

const BATCH = 500;

/**
 * A delivery can have an earlier `created_at` than its event, because the relay's transaction may begin before that of the
 * event. No transaction lasts an hour, so a walk from an hour before `since` finds every delivery of an event since then.
 */
const EARLIER_THAN_EVENT = `interval '1 hour'`;

interface OpenRecovery {
  readonly id: string;
  readonly reached_status: RecoveredStatus;
  /** The endpoint exists and is enabled. */
  readonly is_open: boolean;
}

/** Makes an endpoint's dead letters and waiting deliveries due; never an event whose latest series was delivered. */
@Injectable()
export class EndpointRecoveryService {
  private readonly logger = new Logger(EndpointRecoveryService.name);

  constructor(
    private readonly database: Database,
    private readonly queue: JobWaker,
  ) {}

  /**
   * Requests the recovery of all deliveries that the endpoint has missed, of events since `since`.
   * @throws DomainError `not_found`, and `invalid_state_transition` for a disabled endpoint.
   */
  async order(tx: Tx, scope: WebhookScope, endpointId: string, since: Date): Promise<WebhookRecoveryObject> {
    const endpoint = await findOpenEndpoint(tx, scope, endpointId);
    const id = newId('rec_');
    const [status, reachedStatus]: [RecoveryStatus, RecoveredStatus] = ['queued', RECOVERED_STATUSES[0]];
    const { created_at: createdAt } = await sqlOne<{ created_at: string }>(
      tx,
      `insert into webhook_recovery (id, endpoint_id, since, status, reached_status, reached_at, reached_id, created_at)
       values ($1, $2, $3, $4, $5, $3::timestamptz - ${EARLIER_THAN_EVENT}, '', now()) returning created_at`,
      [id, endpoint.id, since, status, reachedStatus],
    );
    afterCommit(tx, () => this.queue.wake('webhooks.recover', {}));
    return {
      id,
      object: 'webhook_recovery',
      webhook_endpoint_id: endpoint.id,
      since: since.toISOString(),
      status,
      created_at: new Date(createdAt).toISOString(),
    };
  }

  /**
   * Carries out requested recoveries, batch by batch and in turns. A recovery that fails delays no other, and the next call
   * tries it again. Any number of processes may call it at any time.
   */
  @RecurringJob({ role: 'worker', every: 2_000 })
  @JobHandler('webhooks.recover')
  async execute(): Promise<void> {
    const failed: string[] = [];
    for (;;) {
      const queued = await this.database.query<{ id: string }>(
        `select id from webhook_recovery where status = 'queued' and id <> all($2) order by created_at, id limit $1`,
        [BATCH, failed],
      );
      if (queued.length === 0) return;
      for (const { id } of queued) {
        try {
          await this.database.transaction((tx) => this.advance(tx, id));
        } catch (error) {
          failed.push(id);
          this.logger.error({ webhook_recovery_id: id, err: error }, 'A recovery failed and will be tried again.');
        }
      }
    }
  }

  /** Recovers one batch. The batch and the progress of the recovery commit together. */
  private async advance(tx: Tx, id: string): Promise<void> {
    const [recovery] = await sql<OpenRecovery>(tx, LOCK_RECOVERY_STATEMENT, [id]);
    if (recovery === undefined) return;
    if (!recovery.is_open) return finish(tx, id, 'stopped');
    const status = recovery.reached_status;
    // While the endpoint is being enabled, an uncommitted batch locks its deliveries, and the walk would skip them.
    if (status !== 'dead_letter') await takeTurn(tx);
    const walked = await sql<{ id: string; wanted: boolean }>(tx, NEXT_STATEMENTS[status], [id, BATCH]);
    const wanted = walked.filter((delivery) => delivery.wanted).map((delivery) => delivery.id);
    const recovered = wanted.length === 0 ? 0 : await recover(tx, status, wanted);
    const last = walked.at(-1);
    if (last !== undefined) await sql(tx, REACH_STATEMENT, [id, last.id, recovered]);
    if (walked.length < BATCH) await endStatus(tx, id, status);
    failpoint('recovery.before_commit');
    if (recovered > 0) afterCommit(tx, () => this.queue.wake('webhooks.deliver', {}));
  }
}

async function recover(tx: Tx, status: RecoveredStatus, ids: readonly string[]): Promise<number> {
  const begun = status === 'dead_letter' ? [ids.map(() => newId('dlv_'))] : [];
  return (await sql(tx, RECOVER_STATEMENTS[status], [ids, ...begun])).length;
}

/** Continues with the next status, or finishes the recovery. */
async function endStatus(tx: Tx, id: string, status: RecoveredStatus): Promise<void> {
  const next = RECOVERED_STATUSES[RECOVERED_STATUSES.indexOf(status) + 1];
  if (next === undefined) return finish(tx, id, 'completed');
  await sql(
    tx,
    `update webhook_recovery set reached_status = $2, reached_at = since - ${EARLIER_THAN_EVENT}, reached_id = ''
      where id = $1`,
    [id, next],
  );
}

async function finish(tx: Tx, id: string, status: RecoveryStatus): Promise<void> {
  await sql(tx, `update webhook_recovery set status = $2, finished_at = now() where id = $1`, [id, status]);
}
