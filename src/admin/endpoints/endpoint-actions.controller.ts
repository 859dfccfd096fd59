import { Body, HttpCode, Param, Post } from '@nestjs/common';
import { NoBody } from '../../http/no-body.decorator.js';
import { ApiErrors, ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { Database } from '../../platform/database/database.js';
import { actorOf, CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { EndpointOperations, type EndpointStaff } from '../../webhooks/endpoints/endpoint-operations.service.js';
import { EnvironmentController } from '../environment-controller.js';
import { endpointDetailExample } from './endpoints.example.js';
import { presentEndpointDetail } from './endpoint.presenter.js';
import {
  type EndpointDetail,
  endpointDetailSchema,
  type EndpointReasonBody,
  endpointReasonBody,
  type EndpointTest,
  type RotatedSecret,
  type RotateEndpointBody,
  rotateEndpointBody,
  rotatedSchema,
  testedSchema,
} from './endpoints.schema.js';

const TAG = 'Endpoints';
const REASON = { example: { reason: 'The merchant asked for it.' } };
const changed = (description: string) => ({
  description,
  schema: endpointDetailSchema,
  example: endpointDetailExample,
});

/** What staff do to a webhook endpoint. */
@EnvironmentController('endpoints/:id')
@RequirePermission('endpoints.read')
export class EndpointActionsAdminController {
  constructor(
    private readonly database: Database,
    private readonly operations: EndpointOperations,
  ) {}

  @Post('test')
  @RequirePermission('endpoints.test')
  @HttpCode(202)
  @NoBody()
  @ApiErrors('invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'testEndpoint',
    summary: 'Send a test event',
    description: 'A `ping` to this endpoint alone; signed, delivered and retried like any event.',
    tag: TAG,
    success: {
      status: 202,
      description: 'The event is on its way.',
      schema: testedSchema,
      example: {
        object: 'endpoint_test',
        event_id: 'evt_01jqzk8v6m3n5p7r9t1w2x4y6z',
        endpoint_id: endpointDetailExample.id,
      },
    },
  })
  async test(@CurrentStaff() staff: StaffCaller, @Param('id') id: string): Promise<EndpointTest> {
    const { event_id: eventId } = await this.database.transaction((tx) => this.operations.test(tx, by(staff), id));
    return { object: 'endpoint_test', event_id: eventId, endpoint_id: id };
  }

  @Post('enable')
  @RequirePermission('endpoints.enable')
  @HttpCode(200)
  @ApiOperationDocs({
    operationId: 'enableEndpoint',
    summary: 'Enable an endpoint',
    description: 'Its held deliveries are due now.',
    tag: TAG,
    request: REASON,
    success: changed('The enabled endpoint.'),
  })
  enable(
    @CurrentStaff() staff: StaffCaller,
    @Param('id') id: string,
    @Body({ schema: endpointReasonBody }) { reason }: EndpointReasonBody,
  ): Promise<EndpointDetail> {
    return this.setEnabled(staff, id, reason, true);
  }

  @Post('disable')
  @RequirePermission('endpoints.disable')
  @HttpCode(200)
  @ApiOperationDocs({
    operationId: 'disableEndpoint',
    summary: 'Disable an endpoint',
    description: 'Its deliveries are held. Events that happen meanwhile are not owed to it.',
    tag: TAG,
    request: REASON,
    success: changed('The disabled endpoint.'),
  })
  disable(
    @CurrentStaff() staff: StaffCaller,
    @Param('id') id: string,
    @Body({ schema: endpointReasonBody }) { reason }: EndpointReasonBody,
  ): Promise<EndpointDetail> {
    return this.setEnabled(staff, id, reason, false);
  }

  @Post('rotate-secret')
  @RequirePermission('endpoints.rotate')
  @HttpCode(200)
  @ApiOperationDocs({
    operationId: 'rotateEndpointSecret',
    summary: 'Replace the signing secret',
    description: 'The new secret signs at once and is shown here only.',
    tag: TAG,
    request: { example: { reason: 'The merchant has lost the secret.', overlap_seconds: 86_400 } },
    success: {
      description: 'The new secret.',
      schema: rotatedSchema,
      example: {
        object: 'rotated_secret',
        endpoint_id: endpointDetailExample.id,
        secret: 'whsec_...',
        previous_secret_expires_at: '2026-02-01T12:00:00.000Z',
      },
    },
  })
  async rotate(
    @CurrentStaff() staff: StaffCaller,
    @Param('id') id: string,
    @Body({ schema: rotateEndpointBody }) { reason, overlap_seconds: overlap }: RotateEndpointBody,
  ): Promise<RotatedSecret> {
    const rotated = await this.database.transaction((tx) =>
      this.operations.rotateSecret(tx, by(staff), id, { overlap, reason }),
    );
    const { secret, previous_secret_expires_at: until } = rotated;
    return { object: 'rotated_secret', endpoint_id: id, secret, previous_secret_expires_at: until };
  }

  @Post('end-overlap')
  @RequirePermission('endpoints.rotate')
  @HttpCode(200)
  @NoBody()
  @ApiOperationDocs({
    operationId: 'endEndpointOverlap',
    summary: 'Stop signing with the old secret',
    tag: TAG,
    success: changed('The endpoint.'),
  })
  async endOverlap(@CurrentStaff() staff: StaffCaller, @Param('id') id: string): Promise<EndpointDetail> {
    await this.database.transaction((tx) => this.operations.endOverlap(tx, by(staff), id));
    return presentEndpointDetail(await this.operations.get(staff.environment, id));
  }

  private async setEnabled(staff: StaffCaller, id: string, reason: string, enabled: boolean): Promise<EndpointDetail> {
    await this.database.transaction((tx) => this.operations.setEnabled(tx, by(staff), id, { enabled, reason }));
    return presentEndpointDetail(await this.operations.get(staff.environment, id));
  }
}

const by = (staff: StaffCaller): EndpointStaff => ({ environment: staff.environment, author: actorOf(staff) });
