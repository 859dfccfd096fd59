import { Body, Get, HttpCode, Param, Post } from '@nestjs/common';
import type { Tenant } from '../../domain/tenant.js';
import { ApiErrors, ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { actorOf, CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { PolicyOperations } from '../../withdrawals/policies/policy-operations.service.js';
import { PolicyTightening } from '../../withdrawals/policies/policy-tightening.service.js';
import { EnvironmentController } from '../environment-controller.js';
import { policyExample } from './merchants.example.js';
import { presentPolicy } from './merchants.presenter.js';
import {
  type DisallowBody,
  disallowBody,
  type PolicyObject,
  policySchema,
  type TightenPocketBody,
  tightenPocketBody,
  type TightenPolicyBody,
  tightenPolicyBody,
} from './policies.schema.js';

const TAG = 'Merchants';
const policy = (description: string) => ({ description, schema: policySchema, example: policyExample });

/** The rules that the vault checks before it signs a withdrawal of a merchant. They can be tightened here, and not loosened. */
@EnvironmentController('merchants/:id/policy')
@RequirePermission('merchants.read')
export class PoliciesAdminController {
  constructor(
    private readonly database: Database,
    private readonly policies: PolicyOperations,
    private readonly tightening: PolicyTightening,
  ) {}

  @Get()
  @ApiOperationDocs({
    operationId: 'getPolicy',
    summary: 'Retrieve the withdrawal rules of a merchant',
    description: 'Without rules there is no limit.',
    tag: TAG,
    success: policy('The rules.'),
  })
  async get(@CurrentStaff() { environment }: StaffCaller, @Param('id') merchantId: string): Promise<PolicyObject> {
    const tenant = { merchantId, environment };
    return presentPolicy(tenant, await this.policies.show(tenant));
  }

  @Post('tighten')
  @RequirePermission('policies.tighten')
  @HttpCode(200)
  @ApiErrors('invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'tightenPolicy',
    summary: 'Tighten the withdrawal rules of a merchant',
    description: 'A value that does not allow less than now is refused.',
    tag: TAG,
    request: { example: { daily_count: 10, reason: 'Unusual withdrawals since this morning.' } },
    success: policy('The rules as they are now.'),
  })
  tighten(
    @CurrentStaff() staff: StaffCaller,
    @Param('id') merchantId: string,
    @Body({ schema: tightenPolicyBody }) body: TightenPolicyBody,
  ): Promise<PolicyObject> {
    const change = {
      dailyCount: body.daily_count,
      allowListOnly: body.allow_list_only,
      newDestinationHours: body.new_destination_hours,
    };
    const order = { author: actorOf(staff), reason: body.reason };
    return this.changed(staff, merchantId, (tx, tenant) => this.tightening.tighten(tx, tenant, change, order));
  }

  @Post('disallow')
  @RequirePermission('policies.tighten')
  @HttpCode(200)
  @ApiErrors('invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'disallowDestination',
    summary: 'Remove an address from the allow-list of a merchant',
    tag: TAG,
    request: { example: { address: policyExample.allowed[0], reason: 'The merchant no longer controls it.' } },
    success: policy('The rules as they are now.'),
  })
  disallow(
    @CurrentStaff() staff: StaffCaller,
    @Param('id') merchantId: string,
    @Body({ schema: disallowBody }) { address, reason }: DisallowBody,
  ): Promise<PolicyObject> {
    const order = { author: actorOf(staff), reason };
    return this.changed(staff, merchantId, (tx, tenant) => this.tightening.disallow(tx, tenant, address, order));
  }

  @Post('tighten-pocket')
  @RequirePermission('policies.tighten')
  @HttpCode(200)
  @ApiErrors('invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'tightenPocketPolicy',
    summary: 'Tighten the limits of a pocket',
    description: 'An amount that is not less than now is refused.',
    tag: TAG,
    request: {
      example: {
        pocket_id: policyExample.pockets[0]?.pocket_id,
        daily_amount: '1000',
        reason: 'As the merchant wishes.',
      },
    },
    success: policy('The rules as they are now.'),
  })
  tightenPocket(
    @CurrentStaff() staff: StaffCaller,
    @Param('id') merchantId: string,
    @Body({ schema: tightenPocketBody }) body: TightenPocketBody,
  ): Promise<PolicyObject> {
    const change = { pocketId: body.pocket_id, daily: body.daily_amount, unapproved: body.unapproved_amount };
    const order = { author: actorOf(staff), reason: body.reason };
    return this.changed(staff, merchantId, (tx, tenant) => this.tightening.tightenPocket(tx, tenant, change, order));
  }

  private async changed(
    staff: StaffCaller,
    merchantId: string,
    change: (tx: Tx, tenant: Tenant) => Promise<void>,
  ): Promise<PolicyObject> {
    const tenant = { merchantId, environment: staff.environment };
    await this.database.transaction((tx) => change(tx, tenant));
    return this.get(staff, merchantId);
  }
}
