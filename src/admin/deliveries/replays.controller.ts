import { Body, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { NoBody } from '../../http/no-body.decorator.js';
import { ApiErrors, ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { type ListPage, listPage } from '../../http/pagination.js';
import { Database } from '../../platform/database/database.js';
import { actorOf, CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { ReplayJobs } from '../../webhooks/replays/replay-jobs.service.js';
import { ReplayPreviews } from '../../webhooks/replays/replay-preview.service.js';
import { EnvironmentController } from '../environment-controller.js';
import { replayJobExample, replayPreviewExample } from './deliveries.example.js';
import { filterOf, presentJob, presentJobDetail, presentPreview } from './replay.presenter.js';
import {
  type BegunReplay,
  begunReplaySchema,
  type CreateReplayBody,
  createReplayBody,
  type ListReplayJobsQuery,
  listReplayJobsQuery,
  type PreviewReplayBody,
  previewReplayBody,
  type ReplayJobDetail,
  replayJobDetailSchema,
  replayJobListSchema,
  type ReplayJobObject,
  type ReplayPreviewObject,
  replayPreviewSchema,
} from './replay.schema.js';

const TAG = 'Deliveries';
const ORDER = { verb: 'recover', endpoint_id: 'we_01jqzk8v6m3n5p7r9t1w2x4y6z', status: 'dead_letter' };
const moved = (description: string) => ({
  description,
  schema: replayJobDetailSchema,
  example: { ...replayJobExample, targets: [] },
});

/** Jobs that send deliveries again. */
@EnvironmentController('replay-jobs')
@RequirePermission('deliveries.replay')
export class ReplaysAdminController {
  constructor(
    private readonly database: Database,
    private readonly replays: ReplayJobs,
    private readonly previews: ReplayPreviews,
  ) {}

  @Post('preview')
  @RequirePermission('deliveries.read')
  @HttpCode(200)
  @ApiOperationDocs({
    operationId: 'previewReplay',
    summary: 'Count what a replay would send',
    tag: TAG,
    request: { example: ORDER },
    success: { description: 'Counts and warnings.', schema: replayPreviewSchema, example: replayPreviewExample },
  })
  async preview(
    @CurrentStaff() { environment }: StaffCaller,
    @Body({ schema: previewReplayBody }) body: PreviewReplayBody,
  ): Promise<ReplayPreviewObject> {
    return presentPreview(await this.previews.preview(environment, body.verb, filterOf(body)));
  }

  @Post()
  @HttpCode(202)
  @ApiErrors('invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'createReplayJob',
    summary: 'Send deliveries again',
    description: 'A second request with the same verb and filter gets the running job.',
    tag: TAG,
    request: { example: { ...ORDER, reason: 'The merchant has fixed the receiver.' } },
    success: {
      status: 202,
      description: 'The job, which a worker carries out.',
      schema: begunReplaySchema,
      example: { object: 'begun_replay', replay_job_id: replayJobExample.id, already_running: false },
    },
  })
  async create(
    @CurrentStaff() staff: StaffCaller,
    @Body({ schema: createReplayBody }) body: CreateReplayBody,
  ): Promise<BegunReplay> {
    const { environment } = staff;
    const order = { environment, author: actorOf(staff), verb: body.verb, filter: filterOf(body) };
    const { id, isNew } = await this.database.transaction((tx) =>
      this.replays.order(tx, { ...order, reason: body.reason ?? null }),
    );
    return { object: 'begun_replay', replay_job_id: id, already_running: !isNew };
  }

  @Get()
  @RequirePermission('deliveries.read')
  @ApiOperationDocs({
    operationId: 'listReplayJobs',
    summary: 'List replay jobs',
    tag: TAG,
    success: {
      description: 'One page, newest first.',
      schema: replayJobListSchema,
      example: listPage([replayJobExample], 25),
    },
  })
  async list(
    @CurrentStaff() { environment }: StaffCaller,
    @Query({ schema: listReplayJobsQuery }) { limit, starting_after: after }: ListReplayJobsQuery,
  ): Promise<ListPage<ReplayJobObject>> {
    return listPage((await this.replays.page(environment, limit, after)).map(presentJob), limit);
  }

  @Get(':id')
  @RequirePermission('deliveries.read')
  @ApiOperationDocs({
    operationId: 'getReplayJob',
    summary: 'Retrieve a replay job',
    tag: TAG,
    success: moved('The job with its endpoints.'),
  })
  async get(@CurrentStaff() { environment }: StaffCaller, @Param('id') id: string): Promise<ReplayJobDetail> {
    return presentJobDetail(await this.replays.get(environment, id));
  }

  @Post(':id/pause')
  @HttpCode(200)
  @NoBody()
  @ApiErrors('invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'pauseReplayJob',
    summary: 'Pause a replay job',
    tag: TAG,
    success: moved('The paused job.'),
  })
  pause(@CurrentStaff() staff: StaffCaller, @Param('id') id: string): Promise<ReplayJobDetail> {
    return this.move(staff, id, 'paused');
  }

  @Post(':id/resume')
  @HttpCode(200)
  @NoBody()
  @ApiErrors('invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'resumeReplayJob',
    summary: 'Resume a replay job',
    tag: TAG,
    success: moved('The running job.'),
  })
  resume(@CurrentStaff() staff: StaffCaller, @Param('id') id: string): Promise<ReplayJobDetail> {
    return this.move(staff, id, 'running');
  }

  @Post(':id/stop')
  @HttpCode(200)
  @NoBody()
  @ApiErrors('invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'stopReplayJob',
    summary: 'Stop a replay job',
    description: 'What was sent keeps its attempts; nothing more is sent.',
    tag: TAG,
    success: moved('The stopped job.'),
  })
  stop(@CurrentStaff() staff: StaffCaller, @Param('id') id: string): Promise<ReplayJobDetail> {
    return this.move(staff, id, 'stopped');
  }

  private async move(staff: StaffCaller, id: string, to: 'running' | 'paused' | 'stopped'): Promise<ReplayJobDetail> {
    const { environment } = staff;
    await this.database.transaction((tx) => this.replays.move(tx, { environment, author: actorOf(staff) }, id, to));
    return presentJobDetail(await this.replays.get(environment, id));
  }
}
