import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { CurrentCaller } from '../../auth/caller.js';
import type { Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/scopes.js';
import { BeforeTransaction, KeepsSecret } from '../../idempotency/write-options.js';
import { Transaction } from '../../idempotency/write-request.js';
import { ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { type ListPage, listPage } from '../../http/pagination.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { NewTargetCheck } from './new-target.check.js';
import { webhookEndpointExample as example } from './webhook-endpoint.examples.js';
import {
  type CreateWebhookEndpointBody,
  type ListWebhookEndpointsQuery,
  type UpdateWebhookEndpointBody,
  createWebhookEndpointBody,
  deletedWebhookEndpointSchema,
  listWebhookEndpointsQuery,
  updateWebhookEndpointBody,
  webhookEndpointListSchema,
  webhookEndpointSchema,
  webhookEndpointWithSecretSchema,
} from './webhook-endpoint.schema.js';
import type { WebhookEndpointView, WebhookEndpointWithSecret } from './webhook-endpoint.view.js';
import { WebhookEndpointsService } from './webhook-endpoints.service.js';
import { WebhookTargets } from './webhook-targets.js';

const TAG = 'Webhook endpoints';

/** The endpoints that receive a merchant's events. */
@Controller('v1/webhook-endpoints')
export class WebhookEndpointsController {
  constructor(
    private readonly endpoints: WebhookEndpointsService,
    private readonly targets: WebhookTargets,
    private readonly database: Database,
  ) {}

  @Post()
  @HttpCode(201)
  @KeepsSecret(true)
  @BeforeTransaction(NewTargetCheck)
  @RequireScope('webhooks:write')
  @ApiOperationDocs({
    operationId: 'createWebhookEndpoint',
    summary: 'Create a webhook endpoint',
    description: 'Keep the secret of the answer: it is shown here and at a rotation, and never again.',
    tag: TAG,
    request: { example: { url: example.created.url, event_types: ['*'] } },
    success: {
      status: 201,
      description: 'The endpoint with its secret.',
      schema: webhookEndpointWithSecretSchema,
      example: example.created,
    },
  })
  create(
    @Transaction() tx: Tx,
    @CurrentCaller() caller: Caller,
    @Body({ schema: createWebhookEndpointBody }) body: CreateWebhookEndpointBody,
  ): Promise<WebhookEndpointWithSecret> {
    return this.endpoints.create(tx, caller, body);
  }

  @Patch(':id')
  @RequireScope('webhooks:write')
  @ApiOperationDocs({
    operationId: 'updateWebhookEndpoint',
    summary: 'Change a webhook endpoint',
    description:
      'Waiting deliveries go to the new URL. While the endpoint is disabled they are `held` until it is enabled.',
    tag: TAG,
    request: { example: { description: 'Orders', enabled: true } },
    success: { description: 'The endpoint.', schema: webhookEndpointSchema, example: example.endpoint },
  })
  async update(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: updateWebhookEndpointBody }) body: UpdateWebhookEndpointBody,
  ): Promise<WebhookEndpointView> {
    // Before the DNS look-up, so that an endpoint of another merchant answers `not_found` whatever the URL is.
    await this.endpoints.get(this.database.em(), caller, id);
    if (body.url !== undefined) await this.targets.assertAllowed(caller.environment, body.url);
    return this.database.transaction((tx) => this.endpoints.update(tx, caller, id, body));
  }

  @Delete(':id')
  @RequireScope('webhooks:write')
  @ApiOperationDocs({
    operationId: 'deleteWebhookEndpoint',
    summary: 'Delete a webhook endpoint',
    description: 'Its waiting deliveries are cancelled.',
    tag: TAG,
    success: {
      description: 'The endpoint was deleted.',
      schema: deletedWebhookEndpointSchema,
      example: { id: example.endpoint.id, object: 'webhook_endpoint', deleted: true },
    },
  })
  remove(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<object> {
    return this.database.transaction((tx) => this.endpoints.remove(tx, caller, id));
  }

  @Get(':id')
  @RequireScope('read')
  @ApiOperationDocs({
    operationId: 'getWebhookEndpoint',
    summary: 'Retrieve a webhook endpoint',
    tag: TAG,
    success: { description: 'The endpoint.', schema: webhookEndpointSchema, example: example.endpoint },
  })
  get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<WebhookEndpointView> {
    return this.endpoints.get(this.database.em(), caller, id);
  }

  @Get()
  @RequireScope('read')
  @ApiOperationDocs({
    operationId: 'listWebhookEndpoints',
    summary: 'List webhook endpoints',
    tag: TAG,
    success: {
      description: 'One page, newest first.',
      schema: webhookEndpointListSchema,
      example: listPage([example.endpoint], 25),
    },
  })
  list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: listWebhookEndpointsQuery }) query: ListWebhookEndpointsQuery,
  ): Promise<ListPage<WebhookEndpointView>> {
    return this.endpoints.list(this.database.em(), caller, query);
  }
}
