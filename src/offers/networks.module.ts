import { Module } from '@nestjs/common';
import { ChainRegistrationService } from './chain-registration.service.js';
import { NetworkViews } from './network-views.service.js';

/** The registered chains and their status. */
@Module({
  providers: [NetworkViews, ChainRegistrationService],
  exports: [NetworkViews, ChainRegistrationService],
})
export class NetworksModule {}
