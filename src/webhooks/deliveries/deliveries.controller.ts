import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CurrentCaller } from '../../auth/caller.js';
import type { Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/scopes.js';
import type { Tx } from '../../platform/database/database.js';
import { Transaction } from '../../idempotency/write-request.js';
import { NoBody } from '../../http/no-body.decorator.js';
import { ApiErrors, ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { type ListPage, listPage } from '../../http/pagination.js';
import { DeliveryReader } from './delivery-reader.service.js';
import { DeliveryResend } from './delivery-resend.service.js';
import { deliveryExample as example } from './delivery.examples.js';
import {
  type DeliveryObject,
  type DeliveryWithAttemptsObject,
  type ListDeliveriesQuery,
  deliveryListSchema,
  deliverySchema,
  deliveryWithAttemptsSchema,
  listDeliveriesQuery,
} from './delivery.schema.js';

const TAG = 'Deliveries';

/** Deliveries to webhook endpoints, with the endpoints' responses. */
@Controller('v1/deliveries')
export class DeliveriesController {
  constructor(
    private readonly reader: DeliveryReader,
    private readonly resend: DeliveryResend,
  ) {}

  @Get(':id')
  @RequireScope('read')
  @ApiOperationDocs({
    operationId: 'getDelivery',
    summary: 'Retrieve a delivery with its attempts',
    tag: TAG,
    success: {
      description: 'The delivery with every attempt and the response of the endpoint.',
      schema: deliveryWithAttemptsSchema,
      example: example.deadLetter,
    },
  })
  get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<DeliveryWithAttemptsObject> {
    return this.reader.getWithAttempts(caller, id);
  }

  @Get()
  @RequireScope('read')
  @ApiOperationDocs({
    operationId: 'listDeliveries',
    summary: 'List deliveries',
    description:
      'One item per series of attempts. An `endpoint_id` or `event_id` that is not yours returns an empty page. Waiting ' +
      'deliveries of a deleted endpoint are cancelled within seconds; until then only `endpoint_id` lists them.',
    tag: TAG,
    success: {
      description: 'One page, newest first.',
      schema: deliveryListSchema,
      example: listPage([example.delivered], 25),
    },
  })
  list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: listDeliveriesQuery }) query: ListDeliveriesQuery,
  ): Promise<ListPage<DeliveryObject>> {
    return this.reader.list(caller, query);
  }

  @Post(':id/retry')
  @HttpCode(202)
  @RequireScope('webhooks:write')
  @NoBody()
  @ApiErrors('invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'retryDelivery',
    summary: 'Send a delivery again',
    description:
      'Makes a waiting delivery due now. A finished delivery, also a delivered one, gets a new series of attempts: the ' +
      'answer is the new delivery, with its own id. A delivery in flight does not change. While the endpoint is disabled, ' +
      'the delivery is `held`. 409 when a later series has superseded it, or when its endpoint was deleted.',
    tag: TAG,
    success: {
      status: 202,
      description: 'The delivery that will be sent.',
      schema: deliverySchema,
      example: example.retried,
    },
  })
  async retry(
    @Transaction() tx: Tx,
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
  ): Promise<DeliveryObject> {
    return this.reader.get(tx, caller, await this.resend.sendAgain(tx, caller, id));
  }
}
