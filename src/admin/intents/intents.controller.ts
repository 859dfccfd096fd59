import { Get, Param, Query } from '@nestjs/common';
import { explorerOf } from '../../domain/explorer.js';
import { ExplainService } from '../../explain/explain.service.js';
import { IntentTimeline } from '../../explain/timeline/timeline.service.js';
import { ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { type ListPage, listPage } from '../../http/pagination.js';
import { NetworkViews } from '../../offers/network-views.service.js';
import { QuoteEvidenceReader } from '../../payments/intents/quote-evidence.service.js';
import { type ListStaffIntentsQuery, listStaffIntentsQuery } from '../../payments/intents/staff-intent.schema.js';
import { StaffIntents } from '../../payments/intents/staff-intents.service.js';
import { CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { EnvironmentController } from '../environment-controller.js';
import { presentAcknowledgement, presentAction, presentStaffIntent, presentTimeline } from './intents.presenter.js';
import {
  type StaffIntentDetailObject,
  staffIntentDetailSchema,
  staffIntentListSchema,
  type StaffIntentObject,
  type TimelineObject,
  timelineSchema,
} from './intents.schema.js';

const TAG = 'Intents';

/** The payment intents of all merchants. */
@EnvironmentController('intents')
export class IntentsController {
  constructor(
    private readonly intents: StaffIntents,
    private readonly explanations: ExplainService,
    private readonly timelines: IntentTimeline,
    private readonly quotes: QuoteEvidenceReader,
    private readonly networks: NetworkViews,
  ) {}

  @Get()
  @RequirePermission('intents.read')
  @ApiOperationDocs({
    operationId: 'listIntents',
    summary: 'List payment intents',
    tag: TAG,
    success: { description: 'One page, newest first.', schema: staffIntentListSchema },
  })
  async list(
    @CurrentStaff() { environment }: StaffCaller,
    @Query({ schema: listStaffIntentsQuery }) query: ListStaffIntentsQuery,
  ): Promise<ListPage<StaffIntentObject>> {
    const found = await this.intents.list(environment, query);
    return listPage(found.map(presentStaffIntent), query.limit);
  }

  @Get(':id')
  @RequirePermission('intents.read')
  @ApiOperationDocs({
    operationId: 'getIntent',
    summary: 'Retrieve a payment intent',
    description: 'With the explanation of its state, what can be done, what to answer, and the evidence of its price.',
    tag: TAG,
    success: { description: 'The intent as it stands.', schema: staffIntentDetailSchema },
  })
  async get(@CurrentStaff() { environment }: StaffCaller, @Param('id') id: string): Promise<StaffIntentDetailObject> {
    const intent = await this.intents.get(environment, id);
    const { merchantId, reference, priceRoundId, chainRef, toleranceBps, apiKeyId, requestId } = intent.stored;
    const tenant = { merchantId, environment };
    const { explanation, actions, answers, toPay, acknowledgement } = await this.explanations.explainToStaff(tenant, {
      id,
      reference,
    });
    const chain = (await this.networks.all()).find((view) => view.chainRef === chainRef);
    return {
      ...presentStaffIntent(intent),
      explanation,
      actions: actions.map(presentAction),
      answers,
      to_pay_decimal: toPay,
      acknowledgement: acknowledgement && presentAcknowledgement(acknowledgement),
      quote: priceRoundId === null ? null : await this.quotes.get(tenant, id),
      tolerance_bps: toleranceBps,
      origin: { api_key_id: apiKeyId, request_id: requestId },
      explorer: chain === undefined ? null : explorerOf(chain.chainId),
    };
  }

  @Get(':id/timeline')
  @RequirePermission('intents.read')
  @ApiOperationDocs({
    operationId: 'getIntentTimeline',
    summary: 'Retrieve what happened to a payment intent',
    description:
      'Joins the API calls of the log and those whose answers are kept, the address, what its chain showed, events, webhook attempts, actions of ' +
      'staff and notes.',
    tag: TAG,
    success: { description: 'What happened, the oldest first.', schema: timelineSchema },
  })
  async timeline(@CurrentStaff() { environment }: StaffCaller, @Param('id') id: string): Promise<TimelineObject> {
    return presentTimeline(id, await this.timelines.of(environment, id));
  }
}
