import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { CurrentCaller } from '../../auth/caller.js';
import type { Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/scopes.js';
import { ApiErrors, ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import type { Tx } from '../../platform/database/database.js';
import { Transaction } from '../../idempotency/write-request.js';
import { EndpointRecoveryService } from './endpoint-recovery.service.js';
import { webhookRecoveryExample } from './webhook-recovery.example.js';
import {
  type RecoverWebhookEndpointBody,
  type WebhookRecoveryObject,
  recoverWebhookEndpointBody,
  webhookRecoverySchema,
} from './webhook-recovery.schema.js';

/** Recoveries of what an endpoint has missed. */
@Controller('v1/webhook-endpoints/:id')
@RequireScope('webhooks:write')
export class WebhookRecoveriesController {
  constructor(private readonly recoveries: EndpointRecoveryService) {}

  @Post('recover')
  @HttpCode(202)
  @ApiErrors('invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'recoverWebhookEndpoint',
    summary: 'Send what the endpoint has missed',
    description:
      'Makes waiting and dead-lettered deliveries of events since `since` due now; a dead letter gets a new series of ' +
      'attempts. Only the latest series of each event counts: when it was delivered, nothing is sent. Repeated calls send ' +
      'nothing twice. Disabling or deleting the endpoint stops the recovery. 409 for a disabled endpoint.',
    tag: 'Webhook endpoints',
    request: { example: { since: '2026-01-31T00:00:00Z' } },
    success: {
      status: 202,
      description: 'The order; a worker carries it out in batches.',
      schema: webhookRecoverySchema,
      example: webhookRecoveryExample,
    },
  })
  recover(
    @Transaction() tx: Tx,
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: recoverWebhookEndpointBody }) body: RecoverWebhookEndpointBody,
  ): Promise<WebhookRecoveryObject> {
    return this.recoveries.order(tx, caller, id, body.since);
  }
}
