import { Body, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { KeyOperations } from '../../auth/key-operations.service.js';
import { ApiErrors, ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { type ListPage, listPage } from '../../http/pagination.js';
import { Database } from '../../platform/database/database.js';
import { actorOf, CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { EnvironmentController } from '../environment-controller.js';
import { keyExample } from './merchants.example.js';
import { presentKey } from './merchants.presenter.js';
import {
  type CreatedKey,
  createdKeySchema,
  keyListSchema,
  type KeyObject,
  type ListKeysQuery,
  listKeysQuery,
  type NewKeyBody,
  newKeyBody,
  type RevokedKey,
  revokedKeySchema,
  type RevokeKeyBody,
  revokeKeyBody,
} from './merchants.schema.js';

const TAG = 'Merchants';

/** The API keys of a merchant in one environment. */
@EnvironmentController()
@RequirePermission('merchants.read')
export class KeysAdminController {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyOperations,
  ) {}

  @Get('merchants/:id/keys')
  @ApiOperationDocs({
    operationId: 'listApiKeys',
    summary: 'List the API keys of a merchant',
    description: 'Also those that no longer work. The keys themselves are not stored.',
    tag: TAG,
    success: { description: 'One page, newest first.', schema: keyListSchema, example: listPage([keyExample], 25) },
  })
  async list(
    @CurrentStaff() { environment }: StaffCaller,
    @Param('id') merchantId: string,
    @Query({ schema: listKeysQuery }) { limit, starting_after: after }: ListKeysQuery,
  ): Promise<ListPage<KeyObject>> {
    const tenant = { merchantId, environment };
    const page = await this.keys.page(tenant, { limit, after });
    return listPage(
      page.map((key) => presentKey(tenant, key)),
      limit,
    );
  }

  @Post('merchants/:id/keys')
  @RequirePermission('keys.create')
  @ApiErrors('forbidden')
  @ApiOperationDocs({
    operationId: 'createApiKey',
    summary: 'Create an API key',
    description: 'The key is shown here only. A live key of the console never can withdraw.',
    tag: TAG,
    request: { example: { name: 'Shop', scopes: ['read', 'payments:write'], reason: 'The merchant asked for it.' } },
    success: {
      status: 201,
      description: 'The new key.',
      schema: createdKeySchema,
      example: {
        object: 'created_api_key',
        id: keyExample.id,
        merchant_id: keyExample.merchant_id,
        scopes: keyExample.scopes,
        key: 'sk_sb_...',
      },
    },
  })
  async create(
    @CurrentStaff() staff: StaffCaller,
    @Param('id') merchantId: string,
    @Body({ schema: newKeyBody }) { name, scopes, expires_at: expiresAt, reason }: NewKeyBody,
  ): Promise<CreatedKey> {
    const { environment } = staff;
    const order = { merchantId, environment, scopes, name: name ?? null, expiresAt: expiresAt ?? null };
    const {
      id,
      key,
      scopes: given,
    } = await this.database.transaction((tx) => this.keys.createInConsole(tx, order, actorOf(staff), reason));
    return { object: 'created_api_key', id, merchant_id: merchantId, scopes: [...given], key };
  }

  @Post('keys/:id/revoke')
  @RequirePermission('keys.revoke')
  @HttpCode(200)
  @ApiOperationDocs({
    operationId: 'revokeApiKey',
    summary: 'Revoke an API key',
    description: 'It stops working within a second, for good. Revoking it again changes nothing.',
    tag: TAG,
    request: { example: { reason: 'The merchant has lost it.' } },
    success: {
      description: 'The key no longer works.',
      schema: revokedKeySchema,
      example: { object: 'api_key', id: keyExample.id, revoked: true },
    },
  })
  async revoke(
    @CurrentStaff() staff: StaffCaller,
    @Param('id') id: string,
    @Body({ schema: revokeKeyBody }) { reason }: RevokeKeyBody,
  ): Promise<RevokedKey> {
    const { environment } = staff;
    await this.database.transaction((tx) => this.keys.revoke(tx, { id, environment }, actorOf(staff), reason));
    return { object: 'api_key', id, revoked: true };
  }
}
