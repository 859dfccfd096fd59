import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { CurrentCaller } from '../../auth/caller.js';
import type { Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/scopes.js';
import type { Tx } from '../../platform/database/database.js';
import { KeepsSecret } from '../../idempotency/write-options.js';
import { Transaction } from '../../idempotency/write-request.js';
import { NoBody } from '../../http/no-body.decorator.js';
import { ApiErrors, ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { webhookEndpointExample as example } from './webhook-endpoint.examples.js';
import {
  type RotateSecretBody,
  type WebhookTest,
  rotateSecretBody,
  webhookEndpointSchema,
  webhookEndpointWithSecretSchema,
  webhookTestSchema,
} from './webhook-endpoint.schema.js';
import type { WebhookEndpointView, WebhookEndpointWithSecret } from './webhook-endpoint.view.js';
import { WebhookEndpointsService } from './webhook-endpoints.service.js';

const TAG = 'Webhook endpoints';

/** Actions on an endpoint: rotation of the secret, and a test. */
@Controller('v1/webhook-endpoints/:id')
@RequireScope('webhooks:write')
export class WebhookEndpointActionsController {
  constructor(private readonly endpoints: WebhookEndpointsService) {}

  @Post('rotate-secret')
  @HttpCode(200)
  @KeepsSecret(true)
  @ApiOperationDocs({
    operationId: 'rotateWebhookSecret',
    summary: 'Replace the signing secret',
    description:
      'The new secret signs at once. With `overlap_seconds` the old one signs too: the header then has two `v1`, the ' +
      'new one first.',
    tag: TAG,
    request: { example: { overlap_seconds: 86_400 } },
    success: {
      description: 'The endpoint with its new secret.',
      schema: webhookEndpointWithSecretSchema,
      example: example.rotated,
    },
  })
  rotateSecret(
    @Transaction() tx: Tx,
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: rotateSecretBody }) body: RotateSecretBody,
  ): Promise<WebhookEndpointWithSecret> {
    return this.endpoints.rotateSecret(tx, caller, id, body.overlap_seconds);
  }

  @Post('end-overlap')
  @HttpCode(200)
  @NoBody()
  @ApiOperationDocs({
    operationId: 'endWebhookSecretOverlap',
    summary: 'Stop signing with the old secret',
    tag: TAG,
    success: { description: 'The endpoint.', schema: webhookEndpointSchema, example: example.endpoint },
  })
  endOverlap(
    @Transaction() tx: Tx,
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
  ): Promise<WebhookEndpointView> {
    return this.endpoints.endOverlap(tx, caller, id);
  }

  @Post('test')
  @HttpCode(202)
  @NoBody()
  @ApiErrors('invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'testWebhookEndpoint',
    summary: 'Send a test event',
    description: 'Sends a `ping` to this endpoint alone; it is signed, delivered and retried like any event.',
    tag: TAG,
    success: {
      status: 202,
      description: 'The event is on its way.',
      schema: webhookTestSchema,
      example: {
        object: 'webhook_test',
        event_id: 'evt_01jd2v8w3q4r5s6t7v8w9x0y1z',
        webhook_endpoint_id: example.endpoint.id,
      },
    },
  })
  test(@Transaction() tx: Tx, @CurrentCaller() caller: Caller, @Param('id') id: string): Promise<WebhookTest> {
    return this.endpoints.test(tx, caller, id);
  }
}
