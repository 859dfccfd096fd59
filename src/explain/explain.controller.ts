import { Controller, Get, Param } from '@nestjs/common';
import { CurrentCaller } from '../auth/caller.js';
import type { Caller } from '../auth/caller.js';
import { RequireScope } from '../auth/scopes.js';
import { ApiOperationDocs } from '../http/openapi-operation.decorator.js';
import { explanationExample } from './explanation.example.js';
import { type ExplanationObject, explanationSchema } from './explanation.schema.js';
import { ExplainService } from './explain.service.js';

/** Answers the most frequent question to support: "I have paid, where is it?" */
@Controller('v1/payment-intents')
export class ExplainController {
  constructor(private readonly explanations: ExplainService) {}

  @Get(':id/explain')
  @RequireScope('read')
  @ApiOperationDocs({
    operationId: 'explainPaymentIntent',
    summary: 'Explain where a payment intent stands',
    description:
      'A verdict with its evidence and what to do next: not paid, paid in part, in another token, on another network ' +
      'or late, waiting for confirmations, webhook not delivered and so on. Branch on `code`; it changes nothing.',
    tag: 'Payment intents',
    success: {
      description: 'The verdict and every finding behind it.',
      schema: explanationSchema,
      example: explanationExample,
    },
  })
  explain(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<ExplanationObject> {
    return this.explanations.explain(caller, id);
  }
}
