import { Injectable, Logger } from '@nestjs/common';
import { EventsService } from '../../events/events.service.js';
import { type Tx, afterCommit, rows } from '../../platform/database/database.js';
import { deadLettersOf } from './dead-letters.js';
import { countFailure, disableFailing } from './endpoint-health.sql.js';
import { WebhookEndpoint } from './webhook-endpoint.entity.js';
import { presentEndpoint } from './webhook-endpoint.view.js';

const FAILING_DAYS_MAX = 5;
const DEAD_LETTERS_MIN = 20;

/** Counts the failures of endpoints, and disables an endpoint that only fails. */
@Injectable()
export class EndpointHealthService {
  private readonly logger = new Logger(EndpointHealthService.name);

  constructor(private readonly events: EventsService) {}

  /** Records a failed attempt, and disables an endpoint with only failures for 5 days and at least 20 dead letters. */
  async failed(tx: Tx, endpointId: string, { isDeadLetter }: { isDeadLetter: boolean }): Promise<void> {
    await rows(tx, countFailure(endpointId, isDeadLetter ? 1 : 0));
    const disabled = await rows(tx, disableFailing(endpointId, DEAD_LETTERS_MIN, FAILING_DAYS_MAX));
    if (disabled.length > 0) await this.notify(tx, endpointId);
  }

  private async notify(tx: Tx, endpointId: string): Promise<void> {
    const endpoint = await tx.findOneOrFail(WebhookEndpoint, { id: endpointId });
    const { merchantId, environment, url, deadLetters } = endpoint;
    await this.events.record(tx, {
      tenant: { merchantId, environment },
      type: 'webhook_endpoint.disabled',
      resourceId: endpointId,
      data: presentEndpoint(endpoint, await deadLettersOf(tx, endpointId)),
    });
    afterCommit(tx, () =>
      this.logger.error({
        msg: 'A webhook endpoint was disabled because all its attempts failed for days.',
        endpoint_id: endpointId,
        merchant_id: merchantId,
        environment,
        host: new URL(url).host,
        dead_letters: deadLetters,
      }),
    );
  }
}
