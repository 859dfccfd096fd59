import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CurrentCaller } from '../../auth/caller.js';
import type { Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/scopes.js';
import type { Tx } from '../../platform/database/database.js';
import type { PlannedWrite } from '../../platform/sql/planned-write.js';
import { AtOnce } from '../../idempotency/write-options.js';
import { Transaction } from '../../idempotency/write-request.js';
import { NoBody } from '../../http/no-body.decorator.js';
import { ApiErrors, ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import type { ListPage } from '../../http/pagination.js';
import { AddressAssignment } from './address-assignment.service.js';
import { IntentReader } from './intent-reader.service.js';
import { intentExample, createIntentExample } from './payment-intent.examples.js';
import {
  type CreateIntentBody,
  type ListIntentsQuery,
  type PaymentIntentObject,
  createIntentBody,
  listIntentsQuery,
  paymentIntentListSchema,
  paymentIntentSchema,
} from './payment-intent.schema.js';
import { PaymentIntentsService } from './payment-intents.service.js';

const TAG = 'Payment intents';

/** Creating, confirming and reading payment intents. */
@Controller('v1/payment-intents')
export class PaymentIntentsController {
  constructor(
    private readonly intents: PaymentIntentsService,
    private readonly addresses: AddressAssignment,
    private readonly reader: IntentReader,
  ) {}

  @Post()
  @AtOnce(true)
  @RequireScope('payments:write')
  @ApiOperationDocs({
    operationId: 'createPaymentIntent',
    summary: 'Create a payment intent',
    description: 'States an amount to collect on one network in one token. Ask for an address next.',
    tag: TAG,
    request: { example: createIntentExample },
    success: {
      status: 201,
      description: 'The intent, waiting for its address.',
      schema: paymentIntentSchema,
      example: intentExample.created,
    },
  })
  create(
    @CurrentCaller() caller: Caller,
    @Body({ schema: createIntentBody }) body: CreateIntentBody,
  ): Promise<PlannedWrite<PaymentIntentObject>> {
    return this.intents.planCreate(caller, body);
  }

  @Post(':id/generate-address')
  @AtOnce(true)
  @HttpCode(200)
  @NoBody()
  @RequireScope('payments:write')
  @ApiErrors('invalid_state_transition', 'price_unavailable', 'no_wallets_available', 'network_unavailable')
  @ApiOperationDocs({
    operationId: 'generateAddress',
    summary: 'Assign an address and lock the token amount',
    description: 'Repeating the call returns the same address and amount and changes nothing.',
    tag: TAG,
    success: {
      description: 'The intent with its address and its locked amount.',
      schema: paymentIntentSchema,
      example: intentExample.addressed,
    },
  })
  generateAddress(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
  ): Promise<PlannedWrite<PaymentIntentObject>> {
    return this.addresses.plan(caller, id);
  }

  @Post(':id/confirm')
  @HttpCode(200)
  @NoBody()
  @RequireScope('payments:write')
  @ApiErrors('invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'confirmPaymentIntent',
    summary: 'Confirm before the customer pays',
    description: 'Optional: a payment that is seen on chain moves the intent to processing by itself.',
    tag: TAG,
    success: {
      description: 'The intent, processing.',
      schema: paymentIntentSchema,
      example: intentExample.processing,
    },
  })
  confirm(
    @Transaction() tx: Tx,
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
  ): Promise<PaymentIntentObject> {
    return this.intents.confirm(tx, caller, id);
  }

  @Get(':id')
  @RequireScope('read')
  @ApiOperationDocs({
    operationId: 'getPaymentIntent',
    summary: 'Retrieve a payment intent',
    tag: TAG,
    success: { description: 'The intent as it stands.', schema: paymentIntentSchema, example: intentExample.completed },
  })
  get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<PaymentIntentObject> {
    return this.reader.get(caller, id);
  }

  @Get()
  @RequireScope('read')
  @ApiOperationDocs({
    operationId: 'listPaymentIntents',
    summary: 'List payment intents',
    tag: TAG,
    success: {
      description: 'One page, newest first.',
      schema: paymentIntentListSchema,
      example: { object: 'list', has_more: false, next_cursor: null, data: [intentExample.completed] },
    },
  })
  list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: listIntentsQuery }) query: ListIntentsQuery,
  ): Promise<ListPage<PaymentIntentObject>> {
    return this.reader.list(caller, query);
  }
}
