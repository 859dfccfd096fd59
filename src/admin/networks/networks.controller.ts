import { Body, Get, HttpCode, Param, Post } from '@nestjs/common';
import { notFound } from '../../domain/errors.js';
import { type Network, NETWORKS } from '../../domain/network.js';
import { ApiErrors, ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { type ListPage, listPage } from '../../http/pagination.js';
import { ListenerPauses } from '../../offers/listener-pauses.service.js';
import { NetworkStates } from '../../offers/network-states.service.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { actorOf, CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { EnvironmentController } from '../environment-controller.js';
import { presentNetworkState } from './networks.presenter.js';
import {
  type ListenerReasonBody,
  listenerReasonBody,
  networkStateListSchema,
  type NetworkStateObject,
  networkStateSchema,
} from './networks.schema.js';

const TAG = 'Networks';
const changed = (description: string) => ({ description, schema: networkStateSchema });

/** The listeners of the networks, and their nodes as the listeners found them. */
@EnvironmentController('networks')
@RequirePermission('operations.read')
export class NetworkStatesController {
  constructor(
    private readonly database: Database,
    private readonly states: NetworkStates,
    private readonly pauses: ListenerPauses,
  ) {}

  @Get()
  @ApiOperationDocs({
    operationId: 'listNetworkStates',
    summary: 'List networks with their listeners and nodes',
    description: 'As recorded: no node is asked.',
    tag: TAG,
    success: { description: 'All networks of the environment.', schema: networkStateListSchema },
  })
  async list(@CurrentStaff() { environment }: StaffCaller): Promise<ListPage<NetworkStateObject>> {
    const states = await this.states.list(environment);
    return listPage(states.map(presentNetworkState), NETWORKS.length);
  }

  @Post(':network/pause')
  @RequirePermission('networks.pause')
  @HttpCode(200)
  @ApiErrors('invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'pauseListener',
    summary: 'Pause the listener of a network',
    description: 'Nothing is read and no address is assigned on it until it is resumed. No payment is missed.',
    tag: TAG,
    request: { example: { reason: 'Its nodes are being moved.' } },
    success: changed('The paused network.'),
  })
  async pause(
    @CurrentStaff() staff: StaffCaller,
    @Param('network') name: string,
    @Body({ schema: listenerReasonBody }) { reason }: ListenerReasonBody,
  ): Promise<NetworkStateObject> {
    return this.change(staff, name, (tx, network) =>
      this.pauses.pause(tx, staff.environment, network, { ...actorOf(staff), reason }),
    );
  }

  @Post(':network/resume')
  @RequirePermission('networks.resume')
  @HttpCode(200)
  @ApiErrors('invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'resumeListener',
    summary: 'Resume the listener of a network',
    description: 'It continues at its cursor.',
    tag: TAG,
    request: { example: { reason: 'The nodes are back.' } },
    success: changed('The resumed network.'),
  })
  async resume(
    @CurrentStaff() staff: StaffCaller,
    @Param('network') name: string,
    @Body({ schema: listenerReasonBody }) { reason }: ListenerReasonBody,
  ): Promise<NetworkStateObject> {
    return this.change(staff, name, (tx, network) =>
      this.pauses.resume(tx, staff.environment, network, { ...actorOf(staff), reason }),
    );
  }

  /** Changes a network, and returns its state after the commit. */
  private async change(
    { environment }: StaffCaller,
    name: string,
    change: (tx: Tx, network: Network) => Promise<unknown>,
  ): Promise<NetworkStateObject> {
    const network = networkOf(name);
    await this.database.transaction((tx) => change(tx, network));
    const found = (await this.states.list(environment)).find(({ view }) => view.network === network);
    if (found === undefined) throw notFound('network');
    return presentNetworkState(found);
  }
}

function networkOf(name: string): Network {
  const network = NETWORKS.find((known) => known === name);
  if (network === undefined) throw notFound('network');
  return network;
}
