import { Injectable, Logger } from '@nestjs/common';
import { newId } from '../../domain/ids.js';
import { Database, type Tx, afterCommit, row, rows } from '../../platform/database/database.js';
import { failpoint } from '../../platform/failpoints.js';
import { JobHandler } from '../../platform/queue/job-handler.js';
import { JobWaker } from '../../platform/queue/job-waker.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { takeTurn } from '../deliveries/delivery-claims.service.js';
import type { WebhookScope } from '../endpoints/webhook-scope.js';
import {
  beginNextSeries,
  beginStatus,
  insertRecovery,
  lockRecovery,
  makeWaitingDue,
  markEnded,
  markReached,
  nextDeliveries,
  queuedRecoveries,
} from './endpoint-recovery.sql.js';
import { findOpenEndpoint } from '../endpoints/open-endpoint.js';
import { RECOVERED_STATUSES, type RecoveredStatus, WebhookRecovery } from './webhook-recovery.entity.js';
import type { WebhookRecoveryObject } from './webhook-recovery.schema.js';

const BATCH = 500;

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
    const status = 'queued';
    const order = { id, endpointId: endpoint.id, since, status, reachedStatus: RECOVERED_STATUSES[0] } as const;
    const { createdAt } = await row(tx, insertRecovery(order));
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
  @RecurringJob({ role: 'worker', every: 2_000, when: queuedRecoveries })
  @JobHandler('webhooks.recover')
  async execute(): Promise<void> {
    const failed: string[] = [];
    for (;;) {
      const queued = await this.database
        .em()
        .find(
          WebhookRecovery,
          { status: 'queued', id: { $nin: failed } },
          { orderBy: { createdAt: 'asc', id: 'asc' }, limit: BATCH },
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
    const [recovery] = await rows(tx, lockRecovery(id));
    if (recovery === undefined) return;
    if (!recovery.isOpen) {
      await rows(tx, markEnded(id, 'stopped'));
      return;
    }
    const status = recovery.reachedStatus;
    // While the endpoint is being enabled, an uncommitted batch locks its deliveries, and the walk would skip them.
    if (status !== 'dead_letter') await takeTurn(tx);
    const walked = await rows(tx, nextDeliveries(status, id, BATCH));
    const wanted = walked.filter((delivery) => delivery.isWanted).map((delivery) => delivery.id);
    const recovered = wanted.length === 0 ? 0 : await recover(tx, status, wanted);
    const last = walked.at(-1);
    if (last !== undefined) await rows(tx, markReached(id, last.id, recovered));
    if (walked.length < BATCH) await endStatus(tx, id, status);
    failpoint('recovery.before_commit');
    if (recovered > 0) afterCommit(tx, () => this.queue.wake('webhooks.deliver', {}));
  }
}

async function recover(tx: Tx, status: RecoveredStatus, ids: readonly string[]): Promise<number> {
  const statement =
    status === 'dead_letter'
      ? beginNextSeries(ids.map((lastId) => ({ id: newId('dlv_'), lastId })))
      : makeWaitingDue(ids);
  return (await rows(tx, statement)).length;
}

/** Continues with the next status, or finishes the recovery. */
async function endStatus(tx: Tx, id: string, status: RecoveredStatus): Promise<void> {
  const next = RECOVERED_STATUSES[RECOVERED_STATUSES.indexOf(status) + 1];
  await rows(tx, next === undefined ? markEnded(id, 'completed') : beginStatus(id, next));
}
