import { Module } from '@nestjs/common';
import { ListenerPauses } from './listener-pauses.service.js';
import { NetworkStates } from './network-states.service.js';

/** The listeners of the networks, for staff. */
@Module({ providers: [ListenerPauses, NetworkStates], exports: [ListenerPauses, NetworkStates] })
export class NetworkOperationsModule {}
