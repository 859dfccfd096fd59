import { Controller, Get } from '@nestjs/common';
import { CurrentCaller } from '../auth/caller.js';
import type { Caller } from '../auth/caller.js';
import { RequireScope } from '../auth/scopes.js';
import { ApiOperationDocs } from '../http/openapi-operation.decorator.js';
import { type ListPage, listPage } from '../http/pagination.js';
import { NetworkViews } from './network-views.service.js';
import { presentNetwork } from './network.presenter.js';
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
    return listPage(views.map(presentNetwork), views.length);
  }
}
