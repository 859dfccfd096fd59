import { Module } from '@nestjs/common';
import { NetworksController } from './networks.controller.js';
import { NetworksModule } from './networks.module.js';

/** Networks over HTTP. */
@Module({ imports: [NetworksModule], controllers: [NetworksController] })
export class NetworksHttpModule {}
