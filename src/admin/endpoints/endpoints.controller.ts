import { Body, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { type ListPage, listPage } from '../../http/pagination.js';
import { CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { EndpointOperations } from '../../webhooks/endpoints/endpoint-operations.service.js';
import { EnvironmentController } from '../environment-controller.js';
import { endpointDetailExample, endpointExample } from './endpoints.example.js';
import { presentEndpoint, presentEndpointDetail } from './endpoint.presenter.js';
import {
  type CheckSignatureBody,
  checkSignatureBody,
  type EndpointDetail,
  endpointDetailSchema,
  endpointListSchema,
  type EndpointObject,
  type ListEndpointsQuery,
  listEndpointsQuery,
  type SignatureVerdictObject,
  signatureVerdictSchema,
} from './endpoints.schema.js';

const TAG = 'Endpoints';

/** Webhook endpoints of all merchants of an environment. */
@EnvironmentController('endpoints')
@RequirePermission('endpoints.read')
export class EndpointsAdminController {
  constructor(private readonly endpoints: EndpointOperations) {}

  @Get()
  @ApiOperationDocs({
    operationId: 'listEndpoints',
    summary: 'List webhook endpoints',
    tag: TAG,
    success: {
      description: 'One page, newest first.',
      schema: endpointListSchema,
      example: listPage([endpointExample], 25),
    },
  })
  async list(
    @CurrentStaff() { environment }: StaffCaller,
    @Query({ schema: listEndpointsQuery }) { limit, starting_after: after, ...filter }: ListEndpointsQuery,
  ): Promise<ListPage<EndpointObject>> {
    const page = await this.endpoints.page(environment, filter, { limit, after });
    return listPage(page.map(presentEndpoint), limit);
  }

  @Get(':id')
  @ApiOperationDocs({
    operationId: 'getEndpoint',
    summary: 'Retrieve a webhook endpoint',
    tag: TAG,
    success: { description: 'The endpoint.', schema: endpointDetailSchema, example: endpointDetailExample },
  })
  async get(@CurrentStaff() { environment }: StaffCaller, @Param('id') id: string): Promise<EndpointDetail> {
    return presentEndpointDetail(await this.endpoints.get(environment, id));
  }

  @Post(':id/check-signature')
  @HttpCode(200)
  @ApiOperationDocs({
    operationId: 'checkSignature',
    summary: 'Say why a signature fails',
    description: 'Compares a header and a body with the secrets of the endpoint, step by step. No secret is shown.',
    tag: TAG,
    request: { example: { header: 't=1769860440,v1=5257a8...', body: '{"id":"evt_..."}' } },
    success: {
      description: 'The steps.',
      schema: signatureVerdictSchema,
      example: {
        object: 'signature_check',
        valid: false,
        steps: [{ step: 'format', ok: false, text: 'The header has no t=, the time of the signature.' }],
      },
    },
  })
  async check(
    @CurrentStaff() { environment }: StaffCaller,
    @Param('id') id: string,
    @Body({ schema: checkSignatureBody }) body: CheckSignatureBody,
  ): Promise<SignatureVerdictObject> {
    const { valid, steps } = await this.endpoints.checkSignature(environment, id, body);
    return { object: 'signature_check', valid, steps: [...steps] };
  }
}
