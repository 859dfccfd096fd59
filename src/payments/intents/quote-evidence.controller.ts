import { Controller, Get, Param } from '@nestjs/common';
import { CurrentCaller } from '../../auth/caller.js';
import type { Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/scopes.js';
import { ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { quoteEvidenceExample, quoteEvidenceSchema, type QuoteEvidenceObject } from './quote-evidence.schema.js';
import { QuoteEvidenceReader } from './quote-evidence.service.js';

/** The evidence of an intent's price. */
@Controller('v1/payment-intents')
export class QuoteEvidenceController {
  constructor(private readonly reader: QuoteEvidenceReader) {}

  @Get(':id/quote')
  @RequireScope('read')
  @ApiOperationDocs({
    operationId: 'getPaymentIntentQuote',
    summary: 'Retrieve the evidence of a quote',
    description:
      'What each price source said when the price was locked, and how the price follows from it. Answers `not_found` until the intent has its address.',
    tag: 'Payment intents',
    success: {
      description: 'The locked price and its sources.',
      schema: quoteEvidenceSchema,
      example: quoteEvidenceExample,
    },
  })
  get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<QuoteEvidenceObject> {
    return this.reader.get(caller, id);
  }
}
