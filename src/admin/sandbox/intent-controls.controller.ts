import { Body, Get, HttpCode, Param, Post } from '@nestjs/common';
import { NoBody } from '../../http/no-body.decorator.js';
import { ApiErrors, ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { SandboxControls, type StaffPayment } from '../../sandbox/controls/sandbox-controls.service.js';
import { actorOf, CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { EnvironmentController } from '../environment-controller.js';
import { presentControls } from './intent-controls.presenter.js';
import {
  type IntentControlsObject,
  intentControlsSchema,
  type MineBlocksBody,
  mineBlocksBody,
  type PayIntentBody,
  payIntentBody,
  type ReorgIntentBody,
  reorgIntentBody,
} from './intent-controls.schema.js';

const TAG = 'Sandbox';
const done = { description: 'What can be done after it.', schema: intentControlsSchema };

/** What staff and developers make happen to an intent of the sandbox. In live there is no such thing. */
@EnvironmentController('intents/:id/sandbox')
@RequirePermission('sandbox.act')
export class IntentControlsController {
  constructor(private readonly controls: SandboxControls) {}

  @Get()
  @RequirePermission('intents.read')
  @ApiOperationDocs({
    operationId: 'getIntentControls',
    summary: 'Retrieve what can be made to happen to an intent',
    description: 'Sandbox only.',
    tag: TAG,
    success: { description: 'The controls and the payments that were ordered.', schema: intentControlsSchema },
  })
  async show(@CurrentStaff() { environment }: StaffCaller, @Param('id') id: string): Promise<IntentControlsObject> {
    return presentControls(await this.controls.show(environment, id));
  }

  @Post('pay')
  @HttpCode(202)
  @ApiErrors('invalid_state_transition', 'network_unavailable')
  @ApiOperationDocs({
    operationId: 'payIntent',
    summary: 'Pay an intent from the faucet wallet',
    description: 'As a payer would on the development chain. Sandbox only.',
    tag: TAG,
    request: { example: { payment: 'exact' } },
    success: { ...done, status: 202 },
  })
  async pay(
    @CurrentStaff() staff: StaffCaller,
    @Param('id') id: string,
    @Body({ schema: payIntentBody }) body: PayIntentBody,
  ): Promise<IntentControlsObject> {
    await this.controls.pay(actorOf(staff), id, orderOf(body));
    return this.show(staff, id);
  }

  @Post('expire')
  @HttpCode(200)
  @NoBody()
  @ApiErrors('invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'expireIntent',
    summary: 'Make an intent due now',
    description: 'What follows is the ordinary expiry. Sandbox only.',
    tag: TAG,
    success: done,
  })
  async expire(@CurrentStaff() staff: StaffCaller, @Param('id') id: string): Promise<IntentControlsObject> {
    await this.controls.expire(actorOf(staff), id);
    return this.show(staff, id);
  }

  @Post('reorg')
  @HttpCode(200)
  @ApiErrors('invalid_state_transition', 'network_unavailable')
  @ApiOperationDocs({
    operationId: 'reorgIntent',
    summary: 'Drop the newest payment of an intent by a reorg',
    description: 'Waits up to 5 s until the payment is seen. A final payment stays. Sandbox only.',
    tag: TAG,
    request: { example: { returns: true } },
    success: done,
  })
  async reorg(
    @CurrentStaff() staff: StaffCaller,
    @Param('id') id: string,
    @Body({ schema: reorgIntentBody }) { returns }: ReorgIntentBody,
  ): Promise<IntentControlsObject> {
    await this.controls.reorg(actorOf(staff), id, returns);
    return this.show(staff, id);
  }

  @Post('mine')
  @HttpCode(200)
  @ApiErrors('invalid_state_transition', 'network_unavailable')
  @ApiOperationDocs({
    operationId: 'mineBlocks',
    summary: "Make blocks on an intent's chain",
    description: 'A payment becomes final sooner. Sandbox only.',
    tag: TAG,
    request: { example: { blocks: 3 } },
    success: done,
  })
  async mine(
    @CurrentStaff() staff: StaffCaller,
    @Param('id') id: string,
    @Body({ schema: mineBlocksBody }) { blocks }: MineBlocksBody,
  ): Promise<IntentControlsObject> {
    await this.controls.mine(actorOf(staff), id, blocks);
    return this.show(staff, id);
  }
}

function orderOf({ payment, amount = '', token = '' }: PayIntentBody): StaffPayment {
  return payment === 'custom' ? { payment, amount, token } : { payment };
}
