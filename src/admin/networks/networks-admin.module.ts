import { Module } from '@nestjs/common';
import { NetworkOperationsModule } from '../../offers/network-operations.module.js';
import { NetworkStatesController } from './networks.controller.js';

/** The networks in the console. */
@Module({ imports: [NetworkOperationsModule], controllers: [NetworkStatesController] })
export class NetworksAdminModule {}
