import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { CurrentCaller } from '../auth/caller.js';
import type { Caller } from '../auth/caller.js';
import { RequireScope } from '../auth/scopes.js';
import type { Tx } from '../platform/database/database.js';
import { Transaction } from '../idempotency/write-request.js';
import { NoBody } from '../http/no-body.decorator.js';
import { ApiErrors, ApiOperationDocs } from '../http/openapi-operation.decorator.js';
import { intentExample } from '../payments/intents/payment-intent.examples.js';
import { type PaymentIntentObject, paymentIntentSchema } from '../payments/intents/payment-intent.schema.js';
import {
  type PaySandboxBody,
  type SandboxPaymentObject,
  paySandboxBody,
  sandboxPaymentSchema,
} from './sandbox.schema.js';
import { SandboxService } from './sandbox.service.js';

const TAG = 'Sandbox';

const paymentExample: SandboxPaymentObject = {
  id: 'ord_01jd2v8w3q4r5s6t7v8w9x0y1z',
  object: 'sandbox_payment',
  payment_intent: intentExample.addressed.id,
  network: 'polygon',
  token: 'USDC',
  amount: '25000000',
  amount_decimal: '25',
  to: '0x8ba1f109551bD432803012645Ac136ddd64DBA72',
  status: 'queued',
};

/** Helpers of the sandbox. They do not exist for a live key. */
@Controller('v1/sandbox/payment-intents')
export class SandboxController {
  constructor(private readonly sandbox: SandboxService) {}

  @Post(':id/pay')
  @HttpCode(202)
  @RequireScope('payments:write')
  @ApiErrors('invalid_state_transition', 'network_unavailable')
  @ApiOperationDocs({
    operationId: 'paySandboxIntent',
    summary: 'Pay an intent from the faucet wallet',
    description:
      'Sends the token or coin on the development chain, as a customer would. One order is one payment, also after a ' +
      'crash of the service, its database and its chains. There is no faucet on public testnets. Sandbox keys only.',
    tag: TAG,
    request: { example: { amount: '25' } },
    success: {
      status: 202,
      description: 'The order; the payment follows on the chain.',
      schema: sandboxPaymentSchema,
      example: paymentExample,
    },
  })
  pay(
    @Transaction() tx: Tx,
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: paySandboxBody }) body: PaySandboxBody,
  ): Promise<SandboxPaymentObject> {
    return this.sandbox.pay(tx, caller, id, body);
  }

  @Post(':id/expire')
  @HttpCode(200)
  @NoBody()
  @RequireScope('payments:write')
  @ApiErrors('invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'expireSandboxIntent',
    summary: 'Make an intent due now',
    description: 'What follows is the ordinary expiry. Sandbox keys only.',
    tag: TAG,
    success: {
      description: 'The intent with its new deadline.',
      schema: paymentIntentSchema,
      example: intentExample.addressed,
    },
  })
  expire(
    @Transaction() tx: Tx,
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
  ): Promise<PaymentIntentObject> {
    return this.sandbox.expire(tx, caller, id);
  }
}
