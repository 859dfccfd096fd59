import { Body, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { MerchantOperations } from '../../auth/merchant-operations.service.js';
import { MerchantsService } from '../../auth/merchants.service.js';
import { DomainError } from '../../domain/errors.js';
import { ApiErrors, ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { type ListPage, listPage } from '../../http/pagination.js';
import { PocketsService } from '../../ledger/pockets.service.js';
import { NetworkViews } from '../../offers/network-views.service.js';
import { Database } from '../../platform/database/database.js';
import { ConsoleSite } from '../../staff/console-site.service.js';
import { actorOf, CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { PolicyOperations } from '../../withdrawals/policies/policy-operations.service.js';
import { EnvironmentController } from '../environment-controller.js';
import { merchantExample } from './merchants.example.js';
import { presentMerchant } from './merchants.presenter.js';
import {
  type ListMerchantsQuery,
  listMerchantsQuery,
  merchantListSchema,
  type MerchantObject,
  merchantSchema,
  type NewMerchantBody,
  newMerchantBody,
  type ToleranceBody,
  toleranceBody,
  type VerifyMerchantBody,
  verifyMerchantBody,
} from './merchants.schema.js';

const TAG = 'Merchants';
const one = (description: string) => ({ description, schema: merchantSchema, example: merchantExample });

/** The merchants of the service. Their verification and tolerance apply to both environments. */
@EnvironmentController('merchants')
@RequirePermission('merchants.read')
export class MerchantsAdminController {
  constructor(
    private readonly database: Database,
    private readonly operations: MerchantOperations,
    private readonly merchants: MerchantsService,
    private readonly pockets: PocketsService,
    private readonly networks: NetworkViews,
    private readonly policies: PolicyOperations,
    private readonly site: ConsoleSite,
  ) {}

  @Get()
  @ApiOperationDocs({
    operationId: 'listMerchants',
    summary: 'List merchants',
    tag: TAG,
    success: {
      description: 'One page, newest first.',
      schema: merchantListSchema,
      example: listPage([merchantExample], 25),
    },
  })
  async list(
    @CurrentStaff() { environment }: StaffCaller,
    @Query({ schema: listMerchantsQuery }) { limit, starting_after: after, ...filter }: ListMerchantsQuery,
  ): Promise<ListPage<MerchantObject>> {
    const page = await this.operations.page(environment, filter, { limit, after });
    const ids = page.map(({ id }) => id);
    const frozen = await this.policies.frozenAmong(environment, ids);
    return listPage(
      page.map((merchant) => presentMerchant(merchant, frozen.has(merchant.id))),
      limit,
    );
  }

  @Get(':id')
  @ApiOperationDocs({
    operationId: 'getMerchant',
    summary: 'Retrieve a merchant',
    tag: TAG,
    success: one('The merchant.'),
  })
  async get(@CurrentStaff() { environment }: StaffCaller, @Param('id') id: string): Promise<MerchantObject> {
    const merchant = await this.operations.get(environment, id);
    const frozen = await this.policies.frozenAmong(environment, [id]);
    return presentMerchant(merchant, frozen.has(id));
  }

  @Post()
  @RequirePermission('merchants.create')
  @ApiOperationDocs({
    operationId: 'createMerchant',
    summary: 'Create a merchant',
    description: 'With a pocket for each token on offer in either environment.',
    tag: TAG,
    request: { example: { name: 'Acme GmbH', reason: 'The contract is signed.' } },
    success: { status: 201, ...one('The new merchant.') },
  })
  async create(
    @CurrentStaff() staff: StaffCaller,
    @Body({ schema: newMerchantBody }) { reason, ...order }: NewMerchantBody,
  ): Promise<MerchantObject> {
    // Before the transaction, where it would take a second connection.
    const tokens = await this.networks.tokensOnOffer();
    const { id } = await this.database.transaction(async (tx) => {
      const created = await this.operations.create(tx, order, actorOf(staff), reason);
      await this.pockets.openForMerchant(tx, created.id, tokens);
      return created;
    });
    return this.get(staff, id);
  }

  @Post(':id/verify')
  @RequirePermission('merchants.verify')
  @HttpCode(200)
  @ApiErrors('invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'verifyMerchant',
    summary: 'Let a merchant have live keys',
    description: 'In live alone, if there is a live network.',
    tag: TAG,
    request: { example: { reason: 'The contract is signed.' } },
    success: one('The verified merchant.'),
  })
  async verify(
    @CurrentStaff() staff: StaffCaller,
    @Param('id') id: string,
    @Body({ schema: verifyMerchantBody }) { reason }: VerifyMerchantBody,
  ): Promise<MerchantObject> {
    await this.assertDecidesForLive(staff);
    await this.database.transaction((tx) => this.operations.verify(tx, id, actorOf(staff), reason));
    return this.get(staff, id);
  }

  @Post(':id/tolerance')
  @RequirePermission('merchants.update')
  @HttpCode(200)
  @ApiErrors('invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'setMerchantTolerance',
    summary: 'Set the tolerance for underpaid intents',
    description: 'In live alone, if there is a live network: it applies to both environments.',
    tag: TAG,
    request: { example: { tolerance_bps: 50, reason: 'Their wallets round down.' } },
    success: one('The merchant.'),
  })
  async setTolerance(
    @CurrentStaff() staff: StaffCaller,
    @Param('id') id: string,
    @Body({ schema: toleranceBody }) { tolerance_bps: bps, reason }: ToleranceBody,
  ): Promise<MerchantObject> {
    await this.assertDecidesForLive(staff);
    await this.database.transaction((tx) => this.merchants.setTolerance(tx, id, bps, actorOf(staff), reason));
    return this.get(staff, id);
  }

  /** A role in sandbox decides nothing that applies to live. @throws DomainError `invalid_state_transition` */
  private async assertDecidesForLive({ environment }: StaffCaller): Promise<void> {
    if (environment === 'live' || !(await this.site.hasLive())) return;
    throw new DomainError('invalid_state_transition', 'This applies to live as well: do it in the live environment.');
  }
}
