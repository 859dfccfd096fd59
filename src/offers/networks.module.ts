import { Module } from '@nestjs/common';
import { ChainRegistrationService } from './chain-registration.service.js';
import { NetworksController } from './networks.controller.js';
import { NetworkViews } from './network-views.service.js';

/** Which chains there are and how they fare. */
@Module({
  controllers: [NetworksController],
  providers: [NetworkViews, ChainRegistrationService],
  exports: [NetworkViews, ChainRegistrationService],
})
export class NetworksModule {}
