import { Body, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiErrors, ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { type ListPage, listPage } from '../../http/pagination.js';
import { QuarantinedIntents } from '../../payments/intents/quarantined-intents.service.js';
import { Database } from '../../platform/database/database.js';
import { actorOf, CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { type ListDecisionsQuery, listDecisionsQuery } from '../../suspense/decision-queue.schema.js';
import { DecisionQueue } from '../../suspense/decision-queue.service.js';
import { StaffWithdrawals } from '../../withdrawals/staff-withdrawals.service.js';
import { EnvironmentController } from '../environment-controller.js';
import { type ReasonBody, reasonBody } from '../reason-body.js';
import { presentDecision } from './deposits.presenter.js';
import {
  type DecisionCountsObject,
  decisionCountsSchema,
  decisionListSchema,
  type DecisionObject,
  type RetriedObject,
  retriedSchema,
} from './deposits.schema.js';

const TAG = 'Decisions';

/** What waits for a decision of staff. */
@EnvironmentController()
@RequirePermission('deposits.read')
export class DecisionsController {
  constructor(
    private readonly database: Database,
    private readonly queue: DecisionQueue,
    private readonly quarantined: QuarantinedIntents,
    private readonly withdrawals: StaffWithdrawals,
  ) {}

  @Get('decisions')
  @ApiOperationDocs({
    operationId: 'listDecisions',
    summary: 'List what waits for a decision',
    tag: TAG,
    success: { description: 'One page of one kind, the oldest first.', schema: decisionListSchema },
  })
  async list(
    @CurrentStaff() { environment }: StaffCaller,
    @Query({ schema: listDecisionsQuery }) query: ListDecisionsQuery,
  ): Promise<ListPage<DecisionObject>> {
    const found = await this.queue.page(environment, query);
    return listPage(
      found.map((one) => presentDecision(environment, one)),
      query.limit,
    );
  }

  @Get('decision-counts')
  @ApiOperationDocs({
    operationId: 'countDecisions',
    summary: 'Count what waits for a decision',
    tag: TAG,
    success: { description: 'How many there are of each kind, and withdrawals.', schema: decisionCountsSchema },
  })
  async count(@CurrentStaff() { environment }: StaffCaller): Promise<DecisionCountsObject> {
    const approvals = await this.withdrawals.countToApprove(environment);
    return { object: 'decision_counts', ...(await this.queue.counts(environment)), approvals };
  }

  @Post('intents/:id/retry')
  @RequirePermission('intents.retry')
  @HttpCode(202)
  @ApiErrors('invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'retryIntent',
    summary: 'Settle a quarantined intent again',
    description: 'A worker does so within seconds. Mend the cause first.',
    tag: TAG,
    request: { example: { reason: 'The database had no space.' } },
    success: { status: 202, description: 'It is to be settled.', schema: retriedSchema },
  })
  async retry(
    @CurrentStaff() staff: StaffCaller,
    @Param('id') id: string,
    @Body({ schema: reasonBody }) { reason }: ReasonBody,
  ): Promise<RetriedObject> {
    const order = { ...actorOf(staff), reason };
    await this.database.transaction((tx) => this.quarantined.retry(tx, staff.environment, id, order));
    return { object: 'intent_retry', payment_intent_id: id };
  }
}
