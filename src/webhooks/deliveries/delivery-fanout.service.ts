import { Injectable } from '@nestjs/common';
import { newId } from '../../domain/ids.js';
import type { DeliveryFanout } from '../../events/delivery-fanout.js';
import { type Tx, afterCommit, rows } from '../../platform/database/database.js';
import { JobWaker } from '../../platform/queue/job-waker.js';
import { insertDeliveries, owedDeliveries } from './delivery-fanout.sql.js';

/** Creates a delivery of each event for every endpoint that subscribes to it. */
@Injectable()
export class DeliveryFanoutService implements DeliveryFanout {
  constructor(private readonly queue: JobWaker) {}

  async fanOut(tx: Tx, eventIds: readonly string[]): Promise<void> {
    const owed = await rows(tx, owedDeliveries(eventIds));
    if (owed.length === 0) return;
    await rows(tx, insertDeliveries(owed.map((one) => ({ ...one, id: newId('dlv_') }))));
    afterCommit(tx, () => this.queue.wake('webhooks.deliver', {}));
  }
}
