import { Readable } from 'node:stream';
import { Body, Get, HttpCode, Param, Post, Query, StreamableFile } from '@nestjs/common';
import { csvLines } from '../../http/csv.js';
import { ApiErrors, ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { type ListPage, listPage } from '../../http/pagination.js';
import { Database } from '../../platform/database/database.js';
import { actorOf, CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { DeliveryOverview } from '../../webhooks/overview/delivery-overview.service.js';
import { ReplayJobs } from '../../webhooks/replays/replay-jobs.service.js';
import { EnvironmentController } from '../environment-controller.js';
import { recordExport } from '../export-record.js';
import { deadLetterExample, deliveryDetailExample, deliveryExample } from './deliveries.example.js';
import {
  type DeadLetterObject,
  deadLetterListSchema,
  type DeliveryDetail,
  deliveryDetailSchema,
  deliveryListSchema,
  type DeliveryObject,
  type ExportDeliveriesQuery,
  exportDeliveriesQuery,
  type ListDeadLettersQuery,
  listDeadLettersQuery,
  type ListDeliveriesQuery,
  listDeliveriesQuery,
  type ResendBody,
  resendBody,
  resentSchema,
} from './deliveries.schema.js';
import { presentDeadLetters, presentDelivery, presentHistory } from './delivery.presenter.js';
import { DELIVERY_HEAD, deliveryCells } from './delivery-export.js';

const TAG = 'Deliveries';
const EXPORTED_MAX = 50_000;

/** Webhook deliveries of all merchants of an environment. */
@EnvironmentController()
@RequirePermission('deliveries.read')
export class DeliveriesAdminController {
  constructor(
    private readonly database: Database,
    private readonly overview: DeliveryOverview,
    private readonly replays: ReplayJobs,
  ) {}

  @Get('dead-letters')
  @ApiOperationDocs({
    operationId: 'listDeadLetters',
    summary: 'List dead letters by endpoint and cause',
    tag: TAG,
    success: {
      description: 'The largest group first.',
      schema: deadLetterListSchema,
      example: listPage([deadLetterExample], 25),
    },
  })
  async deadLetters(
    @CurrentStaff() { environment }: StaffCaller,
    @Query({ schema: listDeadLettersQuery }) { limit }: ListDeadLettersQuery,
  ): Promise<ListPage<DeadLetterObject>> {
    const causes = await this.overview.causes(environment, limit);
    return { ...listPage(causes.map(presentDeadLetters), limit), next_cursor: null };
  }

  @Get('deliveries.csv')
  @ApiOperationDocs({
    operationId: 'exportDeliveries',
    summary: 'Export deliveries as CSV',
    description: 'The deliveries of the filter, newest first, 50,000 at most. Times are UTC.',
    tag: TAG,
    success: { description: 'The file.' },
  })
  async export(
    @CurrentStaff() staff: StaffCaller,
    @Query({ schema: exportDeliveriesQuery }) filter: ExportDeliveriesQuery,
  ): Promise<StreamableFile> {
    const { environment } = staff;
    await recordExport(this.database, staff, { action: 'deliveries.export', filter });
    const batches = this.overview.batches(environment, filter, EXPORTED_MAX);
    const lines = csvLines(DELIVERY_HEAD, batches, (row) => deliveryCells(presentDelivery(row)));
    const disposition = `attachment; filename="deliveries-${environment}.csv"`;
    return new StreamableFile(Readable.from(lines), { type: 'text/csv; charset=utf-8', disposition });
  }

  @Get('deliveries')
  @ApiOperationDocs({
    operationId: 'listDeliveries',
    summary: 'List deliveries',
    description: 'The latest series of each event and endpoint, of all merchants.',
    tag: TAG,
    success: {
      description: 'One page, newest first.',
      schema: deliveryListSchema,
      example: listPage([deliveryExample], 25),
    },
  })
  async list(
    @CurrentStaff() { environment }: StaffCaller,
    @Query({ schema: listDeliveriesQuery }) { limit, starting_after: after, ...filter }: ListDeliveriesQuery,
  ): Promise<ListPage<DeliveryObject>> {
    const page = await this.overview.page(environment, filter, { limit, after });
    return listPage(page.map(presentDelivery), limit);
  }

  @Get('deliveries/:id')
  @ApiOperationDocs({
    operationId: 'getDelivery',
    summary: 'Retrieve a delivery',
    description: 'With its event, and every attempt of every series.',
    tag: TAG,
    success: { description: 'The delivery.', schema: deliveryDetailSchema, example: deliveryDetailExample },
  })
  async get(@CurrentStaff() { environment }: StaffCaller, @Param('id') id: string): Promise<DeliveryDetail> {
    const history = await this.overview.history(environment, id);
    const jobs = history.series.flatMap(({ replayJobId }) => (replayJobId === null ? [] : [replayJobId]));
    return presentHistory(history, await this.replays.requestersOf(jobs));
  }

  @Post('deliveries/:id/resend')
  @RequirePermission('deliveries.replay')
  @HttpCode(202)
  @ApiErrors('invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'resendDelivery',
    summary: 'Send a delivery again',
    description:
      'A waiting one is due now; a finished one, also a delivered one, gets a new series with the same event id. For a disabled ' +
      'endpoint it is held.',
    tag: TAG,
    request: { example: { reason: 'The merchant has fixed the receiver.' } },
    success: {
      status: 202,
      description: 'The delivery that will be sent.',
      schema: resentSchema,
      example: {
        object: 'resent_delivery',
        delivery_id: deliveryExample.id,
        replay_job_id: 'rpl_01jqzk8v6m3n5p7r9t1w2x4y6z',
      },
    },
  })
  async resend(
    @CurrentStaff() staff: StaffCaller,
    @Param('id') id: string,
    @Body({ schema: resendBody }) body: ResendBody,
  ): Promise<object> {
    const order = { environment: staff.environment, author: actorOf(staff), reason: body.reason ?? null };
    const { jobId, deliveryId } = await this.database.transaction((tx) => this.replays.resendOne(tx, order, id));
    return { object: 'resent_delivery', delivery_id: deliveryId, replay_job_id: jobId };
  }
}
