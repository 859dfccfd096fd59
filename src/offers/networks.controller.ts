import { Controller, Get } from '@nestjs/common';
import { CurrentCaller } from '../auth/caller.js';
import type { Caller } from '../auth/caller.js';
import { RequireScope } from '../auth/scopes.js';
import { NATIVE_COIN } from '../domain/network.js';
import { ApiOperationDocs } from '../http/openapi-operation.decorator.js';
import { type ListPage, listPage } from '../http/pagination.js';
import { type ChainView, NetworkViews, troubleOf } from './network-views.service.js';
import { type NetworkObject, networkListSchema } from './network.schema.js';

/** The networks and tokens on offer, and their status. */
@Controller('v1/networks')
export class NetworksController {
  constructor(private readonly networks: NetworkViews) {}

  @Get()
  @RequireScope('read')
  @ApiOperationDocs({
    operationId: 'listNetworks',
    summary: 'List networks and tokens on offer',
    tag: 'Networks',
    success: { description: 'Every network of the environment of your key.', schema: networkListSchema },
  })
  async list(@CurrentCaller() caller: Caller): Promise<ListPage<NetworkObject>> {
    const views = (await this.networks.all()).filter((view) => view.environment === caller.environment);
    return listPage(views.map(present), views.length);
  }
}

function present(view: ChainView): NetworkObject {
  const trouble = troubleOf(view);
  return {
    id: view.network,
    object: 'network',
    network: view.network,
    chain_id: view.chainId,
    status: trouble?.status ?? 'ok',
    status_reason: trouble?.reason ?? null,
    confirmations: view.confirmations,
    listener: {
      height: view.height,
      head_height: view.headHeight,
      lag_seconds: Math.round(view.lagMs / 100) / 10,
    },
    tokens: view.tokens.map((token) => ({
      token: token.symbol,
      contract: token.contract === NATIVE_COIN ? null : token.contract,
      decimals: token.decimals,
      minor_unit_exponent: token.minorUnitExponent,
      minimum_amount: token.minimumAmount,
      enabled: token.enabled,
    })),
  };
}
