import { Body, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiErrors, ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { type ListPage, listPage } from '../../http/pagination.js';
import { Database } from '../../platform/database/database.js';
import { WebhookInboxes } from '../../sandbox/inbox/webhook-inboxes.service.js';
import { actorOf, CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { EnvironmentController } from '../environment-controller.js';
import { presentInbox, presentOpened, presentRequest } from './inboxes.presenter.js';
import {
  type CreateInboxBody,
  createInboxBody,
  type InboxAnswerBody,
  inboxAnswerBody,
  inboxListSchema,
  type InboxObject,
  inboxRequestListSchema,
  type InboxRequestObject,
  inboxSchema,
  type ListInboxRequestsQuery,
  listInboxRequestsQuery,
  type OpenedRequestObject,
  openedRequestSchema,
} from './inboxes.schema.js';

const TAG = 'Inboxes';

/** Receivers of webhooks that the service plays itself. In live there are none. */
@EnvironmentController('inboxes')
@RequirePermission('sandbox.act')
export class InboxesController {
  constructor(
    private readonly database: Database,
    private readonly inboxes: WebhookInboxes,
  ) {}

  @Get()
  @RequirePermission('endpoints.read')
  @ApiOperationDocs({
    operationId: 'listInboxes',
    summary: 'List the inboxes',
    description: 'Sandbox only. At most 100.',
    tag: TAG,
    success: { description: 'All of them, newest first.', schema: inboxListSchema },
  })
  async list(@CurrentStaff() { environment }: StaffCaller): Promise<ListPage<InboxObject>> {
    const found = await this.inboxes.list(environment);
    return listPage(found.map(presentInbox), found.length);
  }

  @Post()
  @ApiErrors('invalid_request', 'invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'createInbox',
    summary: 'Make an inbox with an endpoint that sends to it',
    description: 'The endpoint takes all events. Sandbox only.',
    tag: TAG,
    request: { example: {} },
    success: { status: 201, description: 'The inbox.', schema: inboxSchema },
  })
  async create(
    @CurrentStaff() staff: StaffCaller,
    @Body({ schema: createInboxBody }) { merchant_id: merchantId }: CreateInboxBody,
  ): Promise<InboxObject> {
    await this.inboxes.assertPossible(staff.environment);
    return presentInbox(
      await this.database.transaction((tx) => this.inboxes.create(tx, actorOf(staff), merchantId ?? null)),
    );
  }

  @Post(':id/answer')
  @HttpCode(200)
  @ApiOperationDocs({
    operationId: 'setInboxAnswer',
    summary: 'Change what an inbox answers',
    description: 'With 500 or a timeout you see retries and dead letters. Sandbox only.',
    tag: TAG,
    request: { example: { answer: '500' } },
    success: { description: 'The inbox.', schema: inboxSchema },
  })
  async answer(
    @CurrentStaff() staff: StaffCaller,
    @Param('id') id: string,
    @Body({ schema: inboxAnswerBody }) { answer }: InboxAnswerBody,
  ): Promise<InboxObject> {
    return presentInbox(
      await this.database.transaction((tx) => this.inboxes.setAnswer(tx, actorOf(staff), id, answer)),
    );
  }

  @Get(':id/requests')
  @RequirePermission('endpoints.read')
  @ApiOperationDocs({
    operationId: 'listInboxRequests',
    summary: 'List what an inbox has received',
    description: 'The newest 200 are kept. Sandbox only.',
    tag: TAG,
    success: { description: 'One page, newest first.', schema: inboxRequestListSchema },
  })
  async requests(
    @CurrentStaff() { environment }: StaffCaller,
    @Param('id') id: string,
    @Query({ schema: listInboxRequestsQuery }) { limit, starting_after: after }: ListInboxRequestsQuery,
  ): Promise<ListPage<InboxRequestObject>> {
    const found = await this.inboxes.requests(environment, id, { limit, after: after ?? null });
    return listPage(found.map(presentRequest), limit);
  }

  @Get(':id/requests/:request')
  @RequirePermission('endpoints.read')
  @ApiOperationDocs({
    operationId: 'getInboxRequest',
    summary: 'Retrieve what an inbox has received',
    description: 'With the check of its signature, step by step. Sandbox only.',
    tag: TAG,
    success: { description: 'The request.', schema: openedRequestSchema },
  })
  async request(
    @CurrentStaff() { environment }: StaffCaller,
    @Param('id') id: string,
    @Param('request') requestId: string,
  ): Promise<OpenedRequestObject> {
    return presentOpened(await this.inboxes.open(environment, id, requestId));
  }
}
