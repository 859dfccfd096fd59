import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query, Res } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentCaller } from '../auth/caller.js';
import type { Caller } from '../auth/caller.js';
import { RequireScope } from '../auth/scopes.js';
import { AtOnce } from '../idempotency/write-options.js';
import type { PlannedWrite } from '../platform/sql/planned-write.js';
import { ApiErrors, ApiOperationDocs } from '../http/openapi-operation.decorator.js';
import type { ListPage } from '../http/pagination.js';
import { WithdrawalReader } from './withdrawal-reader.service.js';
import { createWithdrawalExample, withdrawalExample } from './withdrawal.examples.js';
import {
  type CreateWithdrawalBody,
  type ListWithdrawalsQuery,
  type WithdrawalObject,
  type WithdrawalPreviewObject,
  createWithdrawalBody,
  listWithdrawalsQuery,
  withdrawalListSchema,
  withdrawalPreviewSchema,
  withdrawalSchema,
} from './withdrawal.schema.js';
import { WithdrawalsService } from './withdrawals.service.js';

const TAG = 'Withdrawals';

/** Creates withdrawals (spec 4.6), and reads them. */
@Controller('v1/withdrawals')
export class WithdrawalsController {
  constructor(
    private readonly withdrawals: WithdrawalsService,
    private readonly reader: WithdrawalReader,
  ) {}

  @Post()
  @AtOnce(true)
  @HttpCode(202)
  @RequireScope('withdrawals:write')
  @ApiErrors(
    'not_found',
    'address_network_mismatch',
    'address_blocked',
    'pocket_locked',
    'insufficient_balance',
    'price_unavailable',
    'network_unavailable',
  )
  @ApiOperationDocs({
    operationId: 'createWithdrawal',
    summary: 'Pay out of a pocket',
    description:
      'The amount and the network fee are held in the pocket at once; the transaction is signed, broadcast and ' +
      'confirmed afterwards. `withdrawal.completed` is sent once it is final. One withdrawal per pocket is in flight at a time.',
    tag: TAG,
    request: { example: createWithdrawalExample },
    success: {
      status: 202,
      description: 'The withdrawal, accepted.',
      schema: withdrawalSchema,
      example: withdrawalExample.accepted,
    },
  })
  @ApiResponse({
    status: 200,
    description: 'With `dry_run`: the fee, and every check that fails.',
    standardSchema: withdrawalPreviewSchema,
    examples: { example: { summary: 'A dry run.', value: withdrawalExample.preview } },
  })
  async create(
    @CurrentCaller() caller: Caller,
    @Body({ schema: createWithdrawalBody }) body: CreateWithdrawalBody,
    @Res({ passthrough: true }) res: Response,
  ): Promise<PlannedWrite<WithdrawalObject | WithdrawalPreviewObject>> {
    if (body.dry_run !== true) return this.withdrawals.plan(caller, body);
    res.status(HttpStatus.OK);
    return this.withdrawals.planPreview(caller, body);
  }

  @Get(':id')
  @RequireScope('read')
  @ApiOperationDocs({
    operationId: 'getWithdrawal',
    summary: 'Retrieve a withdrawal',
    tag: TAG,
    success: {
      description: 'The withdrawal as it stands.',
      schema: withdrawalSchema,
      example: withdrawalExample.completed,
    },
  })
  get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<WithdrawalObject> {
    return this.reader.get(caller, id);
  }

  @Get()
  @RequireScope('read')
  @ApiOperationDocs({
    operationId: 'listWithdrawals',
    summary: 'List withdrawals',
    tag: TAG,
    success: {
      description: 'One page, newest first.',
      schema: withdrawalListSchema,
      example: { object: 'list', has_more: false, next_cursor: null, data: [withdrawalExample.completed] },
    },
  })
  list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: listWithdrawalsQuery }) query: ListWithdrawalsQuery,
  ): Promise<ListPage<WithdrawalObject>> {
    return this.reader.list(caller, query);
  }
}
